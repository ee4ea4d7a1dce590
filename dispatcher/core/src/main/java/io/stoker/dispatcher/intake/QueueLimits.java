package io.stoker.dispatcher.intake;

import io.stoker.dispatcher.fairshare.QueueSettings;
import java.util.HashMap;
import java.util.Map;

/** Counts how many more jobs may be queued in queues that have a limit. */
public final class QueueLimits {
  private record Line(int most, long queued) {}

  private final Map<String, Line> lines = new HashMap<>();

  /** No queue has a limit. */
  public static QueueLimits unlimited() {
    return new QueueLimits();
  }

  /** A queue with a limit has so many in line. */
  public QueueLimits with(QueueSettings queue, long queued) {
    queue.maxQueued().ifPresent(most -> lines.put(queue.name(), new Line(most, queued)));
    return this;
  }

  /** Why the queue lets nobody in, for people; null if it does. */
  String full(String queue) {
    Line line = lines.get(queue);
    return line == null || line.queued() < line.most()
        ? null
        : "queue: %s, expected one with room in its line: %d jobs stand in it, max-queued is %d"
            .formatted(queue, line.queued(), line.most());
  }

  /** Somebody got in line. */
  void entered(String queue) {
    lines.computeIfPresent(queue, (name, line) -> new Line(line.most(), line.queued() + 1));
  }
}
