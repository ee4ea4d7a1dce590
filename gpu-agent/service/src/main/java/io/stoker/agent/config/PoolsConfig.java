package io.stoker.agent.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** {@code stoker.pools.<name>.*}: the host's pools of warm workers. */
@ConfigMapping(prefix = "stoker.pools")
public interface PoolsConfig {
  @WithParentName
  Map<String, Pool> byName();

  interface Pool {
    /** Program and arguments of a worker, separated by commas. */
    List<String> command();

    /** Additional environment. */
    Map<String, String> env();

    /** Secrets of the host by the variables that have their values. */
    Map<String, String> secrets();

    /** Work folder; a scratch folder a worker if not given. */
    Optional<Path> workdir();

    /** Workers that are always warm. */
    @WithDefault("0")
    int min();

    /** Workers at most; 0 runs each job in a worker of its own. */
    @WithDefault("1")
    int max();

    /** Jobs that wait behind the one that a worker runs. */
    @WithDefault("2")
    int queue();

    /** Ends under way to the disk, jobs at work included; 3 a worker if not given. */
    OptionalInt output();

    /** Without work, after which a worker above min is ended. */
    @WithDefault("60s")
    @WithConverter(Held.Time.class)
    Duration idleTimeout();

    /** Until a worker is ready. */
    @WithDefault("10s")
    @WithConverter(Held.Period.class)
    Duration startTimeout();

    /** Until a worker that was told to end is killed. */
    @WithDefault("10s")
    @WithConverter(Held.Time.class)
    Duration closeTimeout();

    /** Whether a worker that ended unasked is replaced. */
    @WithDefault("true")
    boolean restart();

    /** GPUs of a worker, 0 or 1. */
    @WithDefault("0")
    int gpus();

    /** What it is promised of a GPU that it shares; without it, it has its GPU alone. */
    Optional<String> gpuMemory();

    /** CPU slots that a worker takes while it is warm. */
    @WithDefault("0")
    int cpus();
  }
}
