package io.stoker.agent.report;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Steps of jobs that warm workers run, held back for a while: most of these jobs are over by then,
 * and their end says all that a step would. That a job was accepted nobody sees: it waits for
 * {@value #ACCEPTED_MS} ms, which is far from when the dispatcher asks again; that it runs, {@value
 * #RUNNING_MS} ms, and makes the acceptance needless.
 *
 * <p>Not for two threads at once.
 */
final class HeldSteps {
  static final long ACCEPTED_MS = 500;
  static final long RUNNING_MS = 100;

  /** What is due together within so many ms goes together. */
  static final long APART_MS = 10;

  private static final long NEVER = Long.MAX_VALUE;

  private final Map<AttemptKey, Held> held = new LinkedHashMap<>();

  /** When somebody looks at what is due, as it was said last. */
  private long lookAt = NEVER;

  private record Held(Unsent step, long due) {}

  /**
   * Holds a step, in place of the one before it. Returns in how many ms to {@linkplain #take(long)
   * take} what is due; empty if that is done soon enough anyway.
   */
  OptionalLong hold(Unsent step, long now) {
    long due = now + (step.is(Type.ACCEPTED) ? ACCEPTED_MS : RUNNING_MS);
    held.merge(
        step.key(),
        new Held(step, due),
        (old, fresh) -> new Held(fresh.step(), Math.min(old.due(), fresh.due())));
    return look(due, now);
  }

  private OptionalLong look(long at, long now) {
    if (at >= lookAt) {
      return OptionalLong.empty();
    }
    lookAt = at;
    return OptionalLong.of(at - now);
  }

  /** Likewise for those that are left when some were taken. */
  OptionalLong next(long now) {
    OptionalLong first = held.values().stream().mapToLong(Held::due).min();
    return first.isEmpty()
        ? OptionalLong.empty()
        : look(Math.max(first.getAsLong(), now + APART_MS), now);
  }

  /** Takes the step of an attempt of which there is more to tell. */
  Optional<Unsent> take(AttemptKey key) {
    return Optional.ofNullable(held.remove(key)).map(Held::step);
  }

  /** Takes those that have waited long enough. */
  List<Unsent> take(long now) {
    lookAt = lookAt <= now ? NEVER : lookAt;
    List<Unsent> due = new ArrayList<>();
    for (Iterator<Held> each = held.values().iterator(); each.hasNext(); ) {
      Held one = each.next();
      if (one.due() <= now) {
        due.add(one.step());
        each.remove();
      }
    }
    return due;
  }

  int size() {
    return held.size();
  }
}
