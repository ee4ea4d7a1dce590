package io.stoker.dispatcher.placement;

/** Heads of lines that are like others but for one thing. */
final class Heads {
  private Heads() {}

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
