package io.stoker.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A timer that a test turns by hand, so that nothing happens beside it. */
final class HandTimer implements Timer {
  private final List<Due> due = new ArrayList<>();
  private long now;

  private record Due(long at, Runnable task) {}

  @Override
  public long nowMs() {
    return now;
  }

  @Override
  public void after(long ms, Runnable task) {
    due.add(new Due(now + ms, task));
  }

  /** Lets so many milliseconds pass, and what is due in them happen. */
  void pass(long ms) {
    long until = now + ms;
    while (true) {
      Due next =
          due.stream()
              .filter(one -> one.at() <= until)
              .min(Comparator.comparingLong(Due::at))
              .orElse(null);
      if (next == null) {
        break;
      }
      due.remove(next);
      now = next.at();
      next.task().run();
    }
    now = until;
  }

  /** Whether nothing is to happen any more. */
  boolean isIdle() {
    return due.isEmpty();
  }
}
