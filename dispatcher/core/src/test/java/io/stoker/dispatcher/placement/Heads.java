package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.ledger.Avoid;
import io.stoker.dispatcher.ledger.Shape;
import java.util.List;
import java.util.Set;

/** Heads of lines, and those that are like others but for one thing. */
final class Heads {
  private Heads() {}

  /** A job of whose memory nothing is known, and that failed on no device that is known. */
  static Head head(
      String job,
      String queue,
      Shape shape,
      int priority,
      long seq,
      List<String> avoid,
      Set<String> returnedBy) {
    return new Head(
        job, queue, shape, priority, seq, Avoid.hosts(avoid), returnedBy, Memory.UNKNOWN);
  }

  /** One whose group limits how many of its jobs run. */
  static Head inLane(Head head, String lane) {
    return copy(head, lane, head.toldNever());
  }

  /** One whose request says already that no host can ever serve it. */
  static Head toldNever(Head head) {
    return copy(head, head.lane(), true);
  }

  private static Head copy(Head head, String lane, boolean toldNever) {
    return new Head(
        head.job(),
        head.queue(),
        head.shape(),
        head.priority(),
        head.seq(),
        head.rank(),
        head.avoid(),
        head.returnedBy(),
        head.memory(),
        lane,
        toldNever);
  }
}
