package io.stoker.agent.config;

import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;

/** {@code stoker.agent.runners.*}: what an agent runs jobs with. */
public interface RunnersConfig {

  /** What {@code resources.type} may be on this host. */
  @WithDefault("cpu,gpu")
  List<String> types();

  /** Jobs on other machines. */
  Ssh ssh();

  /** {@code stoker.agent.runners.ssh.*}. */
  interface Ssh extends RemoteConfig {

    /** File of nodes in {@code folder}: {@code user@host[:port] [keyfile]} a line. */
    @WithDefault("nodes")
    String nodeMapping();

    /** To reach a node before its job fails. */
    @WithDefault("3")
    int tries();

    /** Between two of them. */
    @WithDefault("30s")
    Duration tryEvery();
  }
}
