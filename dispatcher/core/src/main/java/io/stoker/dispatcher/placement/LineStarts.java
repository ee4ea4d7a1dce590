package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.LineRead.Reach;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * Tracks where each line begins, as far as this replica knows: from what it has read of the lines,
 * and what it has put there since. Who reads a line from there need not pass by what was in it
 * before. Another replica's job may stand before that, or in a line that is not known here: it is
 * found when all is read again.
 */
public final class LineStarts {
  /** Of more lines no starts are kept. */
  private static final int MOST = LineWindow.MOST_WHOLE;

  private final Map<LineKey, Start> starts = new HashMap<>();
  private long notes;
  private long forgottenAt;
  private boolean complete;

  /**
   * Where a line begins.
   *
   * @param rank of the first job that may be in it
   * @param noted when that was last put there: after so many notes
   */
  private record Start(long rank, long noted) {}

  /** A read begins. Returns what it is to say when it has ended. */
  public synchronized long begin() {
    return notes;
  }

  /** Whether the starts of all lines are known, but for those of which others know. */
  public synchronized boolean areKnown() {
    return complete;
  }

  /**
   * What is to be read of each line.
   *
   * @param depth how many of a line at most
   */
  public synchronized Map<LineKey, Reach> reaches(ToIntFunction<LineKey> depth) {
    Map<LineKey, Reach> reaches = new HashMap<>();
    starts.forEach(
        (line, start) -> reaches.put(line, new Reach(start.rank(), depth.applyAsInt(line))));
    return reaches;
  }

  /** All lines were read from their beginning. */
  public synchronized void readAll(long begun, LineRead read) {
    Set<LineKey> lines = new HashSet<>(starts.keySet());
    lines.addAll(read.lines().keySet());
    readOn(begun, lines, read);
    complete = begun >= forgottenAt;
  }

  /** These lines were read from where they begin. */
  public synchronized void readOn(long begun, Set<LineKey> lines, LineRead read) {
    for (LineKey line : lines) {
      List<QueueHead> heads =
          Optional.ofNullable(read.lines().get(line)).map(Part::heads).orElse(List.of());
      Start known = starts.get(line);
      boolean notedSince = known != null && known.noted() > begun;
      if (!heads.isEmpty()) {
        Start first = new Start(heads.getFirst().rank(), 0);
        starts.put(line, notedSince ? earlier(known, first) : first);
      } else if (!notedSince) {
        starts.remove(line);
      }
    }
  }

  /** A transaction of this replica has committed that may have put jobs in line. */
  public synchronized void note(List<ReadyRow> inLine) {
    notes++;
    for (ReadyRow row : inLine) {
      note(row, "");
      if (row.group() != null) {
        // If it has a plan, which the store knows.
        note(row, row.group());
      }
    }
    if (starts.size() > MOST) {
      starts.clear();
      complete = false;
      forgottenAt = notes;
    }
  }

  private void note(ReadyRow row, String plannedGroup) {
    starts.merge(
        new LineKey(row.queue(), row.shape(), plannedGroup),
        new Start(row.rank(), notes),
        LineStarts::earlier);
  }

  private static Start earlier(Start one, Start other) {
    return new Start(Math.min(one.rank(), other.rank()), Math.max(one.noted(), other.noted()));
  }
}
