package io.stoker.agent.config;

import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code stoker.agent.runners.*}: what an agent runs jobs with. */
public interface RunnersConfig {

  /** What {@code resources.type} may be on this host. */
  @WithDefault("cpu,gpu")
  List<String> types();

  /** Jobs on other machines. */
  Ssh ssh();

  /** Jobs on instances of EC2. */
  Aws aws();

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

  /** {@code stoker.agent.runners.aws.*}. */
  interface Aws extends RemoteConfig {

    /** File of instances in {@code folder}: {@code user@instance-id[:port] [keyfile]} a line. */
    @WithDefault("instances")
    String nodeMapping();

    /** To start an instance before its job fails. */
    @WithDefault("10")
    int tries();

    /** Between two of them. */
    @WithDefault("30s")
    Duration tryEvery();

    /** Until an instance that has started can be reached by SSH. */
    @WithDefault("180s")
    Duration connectLimit();

    /** Whether an instance that was started is stopped when no job uses it. */
    @WithDefault("false")
    boolean shutdown();

    /** Of the instances; else as Amazon's client finds it. */
    Optional<String> region();

    /** Of EC2's interface, if not Amazon's. */
    Optional<URI> endpoint();
  }
}
