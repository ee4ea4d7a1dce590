package io.stoker.dispatcher.placement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Tracks which jobs of a line have been told what was found of its first: that no host can ever
 * serve them, or that one can after all. A line is gone through once, some jobs at a time and one
 * line after the other, so that neither a pass nor anything else takes longer for it, however long
 * the line; those that come later are told as they come. Soft state: after a takeover lines are
 * gone through again, and who was told is not told again.
 *
 * @param walks in the order in which they get their turns
 * @param lastAt when the last step was, ms since 1970
 */
public record LineWalks(List<Walk> walks, long lastAt) {
  public static final LineWalks NONE = new LineWalks(List.of(), 0);

  /** Jobs that are read in a step. */
  public static final int AT_ONCE = 256;

  /** Lines that are gone through at the same time; those behind the first of others wait longer. */
  static final int MOST = 512;

  /** From one step to the next. */
  static final long APART_MS = 500;

  /**
   * A line that is gone through.
   *
   * @param sentence what is told; null to take it back
   * @param after the rank of the last one that was told
   * @param atEnd whether there was nobody behind that one
   */
  public record Walk(Line line, String sentence, long after, boolean atEnd) {
    boolean tells() {
      return sentence != null;
    }

    private Walk with(String other) {
      return new Walk(line, other, after, atEnd);
    }
  }

  /**
   * A job of a line.
   *
   * @param told whether its status says that no host can ever serve it
   * @param plain whether nothing has happened to it that would make it ask for more than others
   */
  public record Waiting(String job, long rank, boolean told, boolean plain) {}

  /**
   * After a pass.
   *
   * @param lookedAt whether it has looked at a line: of others nothing new is known
   */
  public LineWalks after(List<LineVerdict> found, Predicate<Line> lookedAt) {
    if (found.isEmpty() && walks.stream().noneMatch(Walk::tells)) {
      return this;
    }
    Map<Line, LineVerdict> verdicts = new LinkedHashMap<>();
    found.forEach(verdict -> verdicts.put(verdict.line(), verdict));
    List<Walk> next = new ArrayList<>();
    Set<Line> goOn = new HashSet<>();
    for (Walk walk : walks) {
      LineVerdict verdict = verdicts.get(walk.line());
      boolean tell = verdict != null && verdict.sentence() != null;
      boolean same = walk.tells() ? tell : !tell;
      if (same || !lookedAt.test(walk.line())) {
        next.add(tell ? walk.with(verdict.sentence()) : walk);
        goOn.add(walk.line());
      }
    }
    found.stream()
        .filter(verdict -> !goOn.contains(verdict.line()))
        .limit(Math.max(0, MOST - next.size()))
        .forEach(
            verdict ->
                next.add(new Walk(verdict.line(), verdict.sentence(), verdict.looked(), false)));
    return new LineWalks(List.copyOf(next), lastAt);
  }

  /** Whose turn it is, if it is time for a step: first those that are under way. */
  public Optional<Walk> turn(long now) {
    if (Math.abs(now - lastAt) < APART_MS) {
      return Optional.empty();
    }
    return walks.stream()
        .filter(walk -> !walk.atEnd())
        .findFirst()
        .or(() -> walks.stream().findFirst());
  }

  /** What follows for those who were read behind the last one. */
  public static Verdicts verdicts(Walk walk, List<Waiting> read) {
    Map<String, String> tells = new LinkedHashMap<>();
    Set<String> withdraws = new LinkedHashSet<>();
    for (Waiting one : read) {
      if (walk.tells() && !one.told() && one.plain()) {
        tells.put(one.job(), walk.sentence());
      } else if (!walk.tells() && one.told()) {
        withdraws.add(one.job());
      }
    }
    return new Verdicts(Map.of(), tells, withdraws);
  }

  /** After these were read and told; a walk that takes back is over at the end of its line. */
  public LineWalks done(Walk walk, List<Waiting> read, long now) {
    List<Walk> next = new ArrayList<>(walks);
    if (!next.remove(walk)) {
      return new LineWalks(walks, now);
    }
    boolean atEnd = read.size() < AT_ONCE;
    if (walk.tells() || !atEnd) {
      long last = read.isEmpty() ? walk.after() : read.getLast().rank();
      next.add(new Walk(walk.line(), walk.sentence(), last, atEnd));
    }
    return new LineWalks(List.copyOf(next), now);
  }
}
