package io.stoker.agent.config;

import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import io.stoker.agent.container.ContainerSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** {@code stoker.agent.runners.*}: what an agent runs jobs with. */
public interface RunnersConfig {
  /** What {@code resources.type} may be on this host. */
  @WithDefault("cpu,gpu,passive")
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
    @WithConverter(Held.Time.class)
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
    @WithConverter(Held.Time.class)
    Duration tryEvery();

    /** Until an instance that has started can be reached by SSH. */
    @WithDefault("180s")
    @WithConverter(Held.Period.class)
    Duration connectLimit();

    /** Whether an instance that was started is stopped when no job uses it. */
    @WithDefault("false")
    boolean shutdown();

    /** Of the instances; else as Amazon's client finds it. */
    Optional<String> region();

    /** Of EC2's interface, if not Amazon's. */
    Optional<URI> endpoint();
  }

  /** {@code stoker.agent.runners.container.*}. */
  Container container();

  /** What containers are run with. */
  interface Container {
    /** The engine's command; the first of docker, podman and nerdctl on the path if not given. */
    Optional<String> cli();

    /** Containers at once. */
    @WithDefault("16")
    int slots();

    /** {@code gpus}, {@code cdi}, or {@code auto}: cdi for podman, gpus for others. */
    @WithDefault("auto")
    String gpus();

    /** {@code missing}, {@code always} or {@code never}. */
    @WithDefault("missing")
    ContainerSettings.Pull pull();

    /** {@code uid:gid}, {@code image} for what the image says; the agent's own if not given. */
    Optional<String> user();

    /** Size of {@code /dev/shm}. */
    @WithDefault("1GiB")
    String shmSize();

    /** CPUs that a CPU slot is worth; no limit if not given. */
    OptionalDouble cpusPerSlot();

    /** Folders of the host, of which and of whose folders {@code workdir} may be one. */
    Optional<List<String>> mounts();

    /** More arguments of the engine, for each container. */
    Optional<List<String>> arguments();
  }
}
