package io.stoker.common.life;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Decides when a process that does not do its work gives itself up: once something has kept it from
 * that for long, at each look, although those it depends on answered whoever asked them anew. While
 * they are away a new process could do no better.
 */
public final class LastResort {
  private final long afterMs;
  private OptionalLong since = OptionalLong.empty();

  /**
   * @param after how long it is waited for, 1 ms or more
   */
  public LastResort(Duration after) {
    afterMs = after.toMillis();
  }

  /**
   * Looks.
   *
   * @param troubles sentences about what keeps the process from its work; none if nothing does
   * @param othersAnswer asked only where there are troubles
   * @param nowMs ms on a clock that never goes back
   * @return why the process should end now; empty if it should not
   */
  public Optional<String> look(List<String> troubles, BooleanSupplier othersAnswer, long nowMs) {
    if (troubles.isEmpty() || !othersAnswer.getAsBoolean()) {
      since = OptionalLong.empty();
      return Optional.empty();
    }
    if (since.isEmpty()) {
      since = OptionalLong.of(nowMs);
    }
    long lasted = nowMs - since.getAsLong();
    return lasted < afterMs
        ? Optional.empty()
        : Optional.of(
            "%s; those it depends on have answered all the %d s since that is known"
                .formatted(String.join("; ", troubles), lasted / 1_000));
  }
}
