package io.stoker.agent.ssh;

import io.stoker.agent.device.DeviceException;
import io.stoker.agent.device.DeviceId;
import io.stoker.agent.device.DeviceList;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code user@host[:port] [keyfile] [gpus=0,1]}. */
public final class NodeLine implements MappingFile.Line<Node> {
  private static final Pattern NODE =
      Pattern.compile("([^@\\s]+)@(?:\\[([0-9a-fA-F:.%]+)\\]|([^:@\\[\\]\\s]+))(?::(.*))?");
  private static final int MAX_PORT = 65_535;
  private static final String GPUS = "gpus=";

  private final Path mapping;

  private NodeLine(Path mapping) {
    this.mapping = mapping;
  }

  /** The nodes of a mapping file, by name, in its order. */
  public static Map<String, Node> nodes(Path mapping) {
    return MappingFile.read(mapping, new NodeLine(mapping));
  }

  static Map<String, Node> nodes(Path mapping, List<String> lines) {
    return MappingFile.parse(mapping, lines, new NodeLine(mapping));
  }

  @Override
  public Node read(List<String> words) {
    Matcher node = NODE.matcher(words.getFirst());
    List<String> keys = words.stream().skip(1).filter(word -> !word.startsWith(GPUS)).toList();
    List<String> gpus = words.stream().skip(1).filter(word -> word.startsWith(GPUS)).toList();
    if (keys.size() > 1 || gpus.size() > 1 || !node.matches()) {
      throw new IllegalArgumentException("expected user@host[:port] [keyfile] [gpus=0,1]");
    }
    String host = Optional.ofNullable(node.group(2)).orElse(node.group(3));
    int port = node.group(4) == null ? Node.STANDARD_PORT : port(node.group(4));
    return new Node(
        node.group(1),
        host,
        port,
        keys.stream().findFirst().map(key -> MappingFile.key(mapping, key)),
        host,
        gpus.stream().findFirst().map(NodeLine::gpus));
  }

  private static List<String> gpus(String word) {
    try {
      return DeviceList.parse(word.substring(GPUS.length())).ids().stream()
          .map(DeviceId::text)
          .toList();
    } catch (DeviceException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      if (port > 0 && port <= MAX_PORT) {
        return port;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException("port '" + text + "' is not a number from 1 to " + MAX_PORT);
  }
}
