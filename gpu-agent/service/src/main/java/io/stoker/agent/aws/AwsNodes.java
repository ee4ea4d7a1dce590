package io.stoker.agent.aws;

import io.stoker.agent.ssh.MappingException;
import io.stoker.agent.ssh.Node;
import io.stoker.agent.ssh.NodeLine;
import io.stoker.agent.ssh.Nodes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Puts instances together, as configured. */
public final class AwsNodes {
  private static final Pattern INSTANCE = Pattern.compile("i-[0-9a-f]{8,17}");

  private AwsNodes() {}

  /**
   * The instances of a mapping file.
   *
   * @param data the agent's data folder
   * @throws MappingException if a line of the file cannot be used
   */
  public static Nodes open(AwsSettings settings, Path data) throws IOException {
    Map<String, Node> nodes = NodeLine.nodes(settings.mapping());
    List<String> wrong =
        nodes.values().stream()
            .filter(node -> !INSTANCE.matcher(node.host()).matches())
            .map(
                node ->
                    "'%s': expected user@instance-id, such as ubuntu@i-0a1b2c3d".formatted(node))
            .toList();
    if (!wrong.isEmpty()) {
      throw new MappingException(settings.mapping(), wrong);
    }
    return new Instances(
        nodes,
        new SdkEc2(settings.region(), settings.endpoint(), settings.answerTimeout()),
        new Instances.Rules(settings.tries(), settings.every(), settings.shutdown()),
        new StartedInstances(data.resolve("aws-started")));
  }
}
