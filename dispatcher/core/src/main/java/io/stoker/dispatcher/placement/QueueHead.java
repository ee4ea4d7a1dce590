package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.Shape;
import java.util.Set;

/**
 * A job that is first in line.
 *
 * @param rank its place in its queue's line, the lowest first
 * @param avoid where it failed; used only if nothing else can ever serve it
 * @param returnedBy hosts that could not take its shape and have not changed since
 * @param memory what is known of the memory that it takes
 * @param plannedGroup its group, if that says what may start; else null
 * @param toldNever whether its status says that no host can ever serve it
 */
public record QueueHead(
    String job,
    String queue,
    Shape shape,
    int priority,
    long seq,
    long rank,
    Avoid avoid,
    Set<String> returnedBy,
    Memory memory,
    String plannedGroup,
    boolean toldNever) {
  /** A job whose group does not matter, in a queue in which waiting counts as usual. */
  public QueueHead(
      String job,
      String queue,
      Shape shape,
      int priority,
      long seq,
      Avoid avoid,
      Set<String> returnedBy,
      Memory memory) {
    this(
        job,
        queue,
        shape,
        priority,
        seq,
        ReadyRow.rank(priority, seq, ReadyRow.AGING_MS),
        avoid,
        returnedBy,
        memory,
        null,
        false);
  }

  QueueHead returnedBy(Set<String> hosts) {
    return new QueueHead(
        job, queue, shape, priority, seq, rank, avoid, hosts, memory, plannedGroup, toldNever);
  }

  QueueHead with(Memory known) {
    return new QueueHead(
        job, queue, shape, priority, seq, rank, avoid, returnedBy, known, plannedGroup, toldNever);
  }

  /** What it is to be promised of its host's memory; null if nothing is known. */
  MemoryNeed hostMemory() {
    return shape.onHost() ? memory.ofHost().need(shape.memory()) : null;
  }

  /** When its first request arrived, ms since 1970. */
  public long arrivedAt() {
    return Arrival.ms(seq);
  }
}
