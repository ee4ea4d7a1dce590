package io.stoker.dispatcher.placement;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.Shape;
import java.util.List;
import java.util.Set;

/** Heads of lines, and those that are like others but for one thing. */
final class QueueHeads {
  private QueueHeads() {}

  /** A job of whose memory nothing is known, and that failed on no device that is known. */
  static QueueHead head(
      String job,
      String queue,
      Shape shape,
      int priority,
      long seq,
      List<String> avoid,
      Set<String> returnedBy) {
    Avoid hosts = new Avoid(avoid.stream().collect(toMap(identity(), host -> List.of())));
    return new QueueHead(job, queue, shape, priority, seq, hosts, returnedBy, Memory.UNKNOWN);
  }

  /** One whose group limits how many of its jobs run. */
  static QueueHead inLane(QueueHead head, String plannedGroup) {
    return copy(head, plannedGroup, head.toldNever());
  }

  /** One whose request says already that no host can ever serve it. */
  static QueueHead toldNever(QueueHead head) {
    return copy(head, head.plannedGroup(), true);
  }

  private static QueueHead copy(QueueHead head, String plannedGroup, boolean toldNever) {
    return new QueueHead(
        head.job(),
        head.queue(),
        head.shape(),
        head.priority(),
        head.seq(),
        head.rank(),
        head.avoid(),
        head.returnedBy(),
        head.memory(),
        plannedGroup,
        toldNever);
  }
}
