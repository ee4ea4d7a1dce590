package io.stoker.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last things that happened, to be told when a run fails. */
final class Story {
  private final int most;
  private final Deque<Line> lines = new ArrayDeque<>();

  private record Line(long at, String who, String what) {}

  /**
   * @param most lines that are kept
   */
  Story(int most) {
    this.most = most;
  }

  void tell(long at, String who, String what) {
    if (most == 0) {
      return;
    }
    if (lines.size() == most) {
      lines.removeFirst();
    }
    lines.addLast(new Line(at, who, what));
  }

  List<String> lines() {
    return lines.stream()
        .map(line -> "%9.3f %-8s %s".formatted(line.at() / 1000.0, line.who(), line.what()))
        .toList();
  }
}
