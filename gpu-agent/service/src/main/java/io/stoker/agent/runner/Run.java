package io.stoker.agent.runner;

import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunUsage;
import io.stoker.agent.spawn.OwnProcess;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** One run as the runner follows it; touched by the runner's thread alone. */
final class Run {
  final RunSpec spec;
  final RunKey key;
  final RunOutput output;

  /** Which of its attempt's processes it is, from 1. */
  int starts = 1;

  /** Whether no spawner of this agent's tells of its end: its state file does, or the kernel. */
  boolean silent;

  /** Its first process, once known. */
  Optional<OwnProcess> process = Optional.empty();

  /** Its exit code, once seen; absent for good if {@link #over} and nobody saw it. */
  OptionalInt exitCode = OptionalInt.empty();

  /** What it took by the kernel's account, if that was told. */
  Optional<RunUsage> usage = Optional.empty();

  /** What it is kept in, where that is more than every job. */
  Optional<String> kept = Optional.empty();

  /** Whether its first process has ended. */
  boolean over;

  /** Whether nothing of it is left: the rest of its output is read. */
  boolean gone;

  /** When SIGTERM becomes SIGKILL, ns; present while it is being killed. */
  OptionalLong killAt = OptionalLong.empty();

  /** Since when its first process is gone without an exit code, ns. */
  OptionalLong goneSince = OptionalLong.empty();

  /** How often the kernel had killed for want of memory when it began. */
  long oomKills;

  final Set<Long> terminated = new HashSet<>();

  Run(RunSpec spec, RunOutput output, boolean silent) {
    this.spec = spec;
    this.key = spec.key();
    this.output = output;
    this.silent = silent;
  }

  /** The spawner that had it is gone. */
  void hush() {
    silent = true;
  }

  boolean killing() {
    return killAt.isPresent() && !gone;
  }

  /** Kills from this time on, ns; an earlier time given before stays. */
  void killAt(long at) {
    killAt = OptionalLong.of(killAt.isPresent() ? Math.min(killAt.getAsLong(), at) : at);
  }
}
