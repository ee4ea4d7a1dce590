package io.stoker.common.message;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The workload of an attempt, each kind with what it alone has. */
public sealed interface Workload {
  /** What it takes of its host: nothing where it runs on another machine, or on a pool's worker. */
  default Share share() {
    return Share.NONE;
  }

  /** The runner of which it takes a slot, as {@code resources.type} names it. */
  default Optional<String> runner() {
    return Optional.empty();
  }

  /**
   * Run by a worker of a pool, which is given the parameters.
   *
   * @param queue of its request, which may have to be one that the pool's secrets are for; empty
   *     from an older dispatcher
   */
  record PoolTask(String pool, Optional<String> queue) implements Workload {}

  /** What is started for its attempt alone. */
  sealed interface Started extends Workload {
    Program program();
  }

  /**
   * A process of the host.
   *
   * @param lookAhead how it is held where none of the host's CPU slots is free: it is accepted
   *     behind them, and started as soon as one is; empty if it is to be given back then. Only a
   *     host that {@linkplain HostMessage.HostResources#lookAhead offers} that is told
   */
  record Process(Program program, Share share, Optional<LookAhead> lookAhead) implements Started {
    public Process(Program program, Share share) {
      this(program, share, Optional.empty());
    }
  }

  /**
   * How an attempt is held behind CPU slots: those of one queue start by their priority, the
   * queues' in the order in which they came.
   *
   * @param queue of its job
   */
  record LookAhead(String queue) {}

  /** A process of the host that loads and trains when it is told to. */
  record Staged(Program program, Share share) implements Started {}

  /** A container of the host. */
  record Container(String image, Program program, Share share) implements Started {
    static final String TYPE = "container";

    @Override
    public Optional<String> runner() {
      return Optional.of(TYPE);
    }
  }

  /**
   * A process of another machine.
   *
   * @param type of its runner, which need not be known here
   * @param gpus of that machine
   */
  record Remote(String type, Program program, Gpus gpus) implements Started {
    @Override
    public Optional<String> runner() {
      return Optional.of(type);
    }
  }

  /** What a person runs, and tells the end of. */
  record Passive(Program program) implements Started {
    static final String TYPE = "passive";

    @Override
    public Optional<String> runner() {
      return Optional.of(TYPE);
    }
  }

  /**
   * What is started.
   *
   * @param command program and arguments
   * @param env additional environment
   * @param workdir work folder, else a scratch folder
   * @param gated whether it starts only when the gates are open
   * @param memory bytes of host memory that it needs, if declared or learned
   * @param claim by what it may run there
   */
  record Program(
      List<String> command,
      Map<String, String> env,
      Optional<String> workdir,
      boolean gated,
      OptionalLong memory,
      Claim claim) {
    public static final Program NONE =
        new Program(List.of(), Map.of(), Optional.empty(), false, OptionalLong.empty(), Claim.NONE);
  }

  /**
   * By what a program may run on its host, and have its secrets.
   *
   * @param kind of dispatchers' configuration that it is of; empty if a request said what to run
   * @param queue of its request; empty from a dispatcher that tells it for secrets alone
   * @param sentBy who posted its request, by the login; empty if nobody had to say who they are
   * @param secrets by the name of the variable that is to have its value
   * @param offline whether it is to have no network: only a host that offers that is told
   */
  record Claim(
      Optional<String> kind,
      Optional<String> queue,
      Optional<String> sentBy,
      Map<String, String> secrets,
      boolean offline) {
    public static final Claim NONE = ofSecrets(Map.of());

    /** What is of no request and may have these: a worker of a pool. */
    public static Claim ofSecrets(Map<String, String> secrets) {
      return new Claim(Optional.empty(), Optional.empty(), Optional.empty(), secrets, false);
    }
  }

  /**
   * What it takes of its host.
   *
   * @param cpuSlots CPU slots to give
   * @param avoid devices that failed the job before
   */
  record Share(Gpus gpus, int cpuSlots, List<String> avoid) {
    public static final Share NONE = new Share(Gpus.NONE, 0, List.of());
  }

  /**
   * GPUs to give.
   *
   * @param memory bytes to account on each, if declared or learned
   * @param shared whether others may run on the same ones
   * @param device the pinned one, if any
   */
  record Gpus(int count, OptionalLong memory, boolean shared, Optional<String> device) {
    public static final Gpus NONE = new Gpus(0, OptionalLong.empty(), false, Optional.empty());
  }
}
