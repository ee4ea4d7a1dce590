package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.ledger.Arrival;
import io.stoker.dispatcher.ledger.Avoid;
import io.stoker.dispatcher.ledger.ReadyRow;
import io.stoker.dispatcher.ledger.Shape;
import java.util.Set;

/**
 * A job that is first in line.
 *
 * @param rank its place in its queue's line, the lowest first
 * @param avoid where it failed; used only if nothing else can ever serve it
 * @param returnedBy hosts that could not take its shape and have not changed since
 * @param memory what is known of the memory that it takes
 * @param lane its group, if that says what may start; else null
 * @param toldNever whether its status says that no host can ever serve it
 */
public record Head(
    String job,
    String queue,
    Shape shape,
    int priority,
    long seq,
    long rank,
    Avoid avoid,
    Set<String> returnedBy,
    Memory memory,
    String lane,
    boolean toldNever) {

  /** A job whose group does not matter, in a queue in which waiting counts as usual. */
  public Head(
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

  Head returnedBy(Set<String> hosts) {
    return new Head(job, queue, shape, priority, seq, rank, avoid, hosts, memory, lane, toldNever);
  }

  /** The same, expected to take so much. */
  public Head expecting(long bytes) {
    return with(memory.expecting(bytes));
  }

  Head with(Memory known) {
    return new Head(
        job, queue, shape, priority, seq, rank, avoid, returnedBy, known, lane, toldNever);
  }

  /** What it is to be promised of its host's memory; null if nothing is known. */
  MemoryNeed hostMemory() {
    return shape.takesHostMemory() ? memory.ofHost().need(shape.memory()) : null;
  }

  /** When its first request arrived, ms since 1970. */
  public long arrivedAt() {
    return Arrival.ms(seq);
  }
}
