package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.message.ToAgent.Place;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** One run as the runner follows it; touched by the runner's thread alone. */
final class Run {
  /** In ns; the smallest pid space takes longer to go round. */
  private static final long YOUNG = 1_000_000_000L;

  private final long launchedAt = System.nanoTime();
  final Place place;
  final AttemptKey key;
  final RunOutput output;

  /** Whether an earlier agent's wrapper has it: then its state file is its only voice. */
  final boolean adopted;

  /** Its first process, once known. */
  Optional<OwnProcess> process = Optional.empty();

  /** Its exit code, once seen; absent for good if {@link #over} and nobody saw it. */
  OptionalInt exitCode = OptionalInt.empty();

  /** Whether its first process has ended. */
  boolean over;

  /** When SIGTERM becomes SIGKILL, ns; present while it is being killed. */
  OptionalLong killAt = OptionalLong.empty();

  /** Since when its first process is gone without an exit code, ns. */
  OptionalLong goneSince = OptionalLong.empty();

  final Set<Long> terminated = new HashSet<>();

  Run(Place place, RunOutput output, boolean adopted) {
    this.place = place;
    this.key = new AttemptKey(place.job(), place.attempt());
    this.output = output;
    this.adopted = adopted;
  }

  /** Whether its first process began so lately that pids cannot have come round since. */
  boolean isYoung(long now) {
    return !adopted && process.isPresent() && now - launchedAt < YOUNG;
  }

  boolean killing() {
    return killAt.isPresent();
  }

  /** Kills from this time on, ns; an earlier time given before stays. */
  void killAt(long at) {
    killAt = OptionalLong.of(killAt.isPresent() ? Math.min(killAt.getAsLong(), at) : at);
  }
}
