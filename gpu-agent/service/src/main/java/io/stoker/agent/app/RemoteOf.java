package io.stoker.agent.app;

import io.stoker.agent.aws.AwsNodes;
import io.stoker.agent.aws.AwsSettings;
import io.stoker.agent.config.AgentConfig;
import io.stoker.agent.config.RemoteConfig;
import io.stoker.agent.config.RunnersConfig;
import io.stoker.agent.config.VariableNames;
import io.stoker.agent.runner.RunnerFactory;
import io.stoker.agent.ssh.FixedNodes;
import io.stoker.agent.ssh.FollowRules;
import io.stoker.agent.ssh.JobCare;
import io.stoker.agent.ssh.LinkSettings;
import io.stoker.agent.ssh.NodeLine;
import io.stoker.agent.ssh.RemoteRunner;
import io.stoker.agent.ssh.RemoteSettings;
import io.stoker.common.life.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Runners that work by SSH, as configured. */
final class RemoteOf {
  /** Between two tries to reach an instance that has just started. */
  private static final Duration CONNECT_EVERY = Duration.ofSeconds(10);

  private RemoteOf() {}

  static RunnerFactory ssh(AgentConfig config) {
    RunnersConfig.Ssh ssh = config.runners().ssh();
    return context ->
        new RemoteRunner(
            "ssh",
            context,
            settings("ssh", ssh, ssh.tries(), ssh.tryEvery(), config.grace()),
            new FixedNodes(NodeLine.nodes(ssh.folder().resolve(ssh.nodeMapping()))));
  }

  /** By SSH too, with the time that an instance takes to let anybody in. */
  static RunnerFactory aws(AgentConfig config) {
    RunnersConfig.Aws aws = config.runners().aws();
    AwsSettings instances =
        new AwsSettings(
            aws.folder().resolve(aws.nodeMapping()),
            aws.tries(),
            aws.tryEvery(),
            aws.shutdown(),
            aws.region(),
            aws.endpoint(),
            aws.answerTimeout());
    int tries = Math.max(1, (int) aws.connectLimit().dividedBy(CONNECT_EVERY));
    return context ->
        new RemoteRunner(
            "aws",
            context,
            settings("aws", aws, tries, CONNECT_EVERY, config.grace()),
            AwsNodes.open(instances, context.data()));
  }

  private static RemoteSettings settings(
      String type, RemoteConfig config, int tries, Duration tryEvery, Duration grace) {
    String keys = "stoker.agent.runners." + type;
    return new RemoteSettings(
        new LinkSettings(
            config.connectTimeout(),
            config.answerTimeout(),
            config
                .knownHosts()
                .orElse(Path.of(System.getProperty("user.home"), ".ssh", "known_hosts")),
            config.unknownHosts(),
            config.keyPassphrase()),
        new FollowRules(
            (int) Setting.count(keys + ".tries", 1, tries),
            tryEvery,
            config.followEvery(),
            config.followLimit(),
            config.lookEvery()),
        (int) Setting.count(keys + ".per-node", 1, config.perNode()),
        config.nodeFolder(),
        VariableNames.asWritten(keys + ".env", config.env(), System.getenv()),
        new JobCare(
            config.preScript(), config.postScript(), config.files().orElse(List.of()), grace),
        config.seed());
  }
}
