package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.placement.PlacementPass.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Jobs of which pass after pass finds that no host can ever serve them, and since when. Their
 * status says so once that has stood for a while, and no more once a pass finds otherwise: hosts
 * that are about to register would else be missed by everybody for a moment, and as long as there
 * is none at all nothing is found of anybody. Soft state: after a takeover the while begins anew.
 *
 * @param since by job, ms since 1970
 * @param hopeless for whom their queues' patience counts
 */
public record UnsatisfiableJobs(Map<String, Long> since, HopelessLines hopeless) {
  public static final UnsatisfiableJobs NOBODY =
      new UnsatisfiableJobs(Map.of(), HopelessLines.NONE);

  /** Of jobs that a pass has not looked at so many are kept in mind. */
  static final int REMEMBERED = 20_000;

  /** A job, or a line, that no pass has looked at for so long, in ms, may be gone. */
  static final long FORGOTTEN_AFTER_MS = 3_600_000;

  /**
   * What follows from a pass.
   *
   * @param next to be asked after the next one
   * @param verdicts what is to be done about it
   * @param lines what holds for all behind those that the pass has looked at
   * @param lookedAt whether it has looked at a line
   * @param never the jobs that it looked at and that no host can ever serve
   * @param snapshot what it looked at
   */
  public record Found(
      UnsatisfiableJobs next,
      Verdicts verdicts,
      List<LineVerdict> lines,
      Predicate<Line> lookedAt,
      Set<String> never,
      Snapshot snapshot) {}

  /**
   * Looks at what a pass has left.
   *
   * @param graceMs how long it is found before a status says so
   * @param whole whether the pass has looked at all lines, and not at those alone whose turn it was
   */
  public Found after(Snapshot snapshot, Decision decision, long graceMs, boolean whole) {
    Map<String, Long> found = whole ? new HashMap<>() : notLookedAt(snapshot);
    Map<String, String> tells = new LinkedHashMap<>();
    Set<String> withdraws = new HashSet<>();
    HopelessLines lines = hopeless.after(snapshot, decision, whole);
    Map<String, String> ends = Unsatisfiable.overdue(snapshot, decision, lines);
    for (QueueHead head : snapshot.heads()) {
      UnschedulableReason left = decision.unplaced().get(head.job());
      if (left == null || snapshot.hosts().isEmpty() || ends.containsKey(head.job())) {
        continue;
      }
      if (head.toldNever() && disproves(left)) {
        withdraws.add(head.job());
      } else if (!head.toldNever() && left.reason() == UnschedulableReason.Reason.UNSATISFIABLE) {
        long first = since.getOrDefault(head.job(), snapshot.now());
        found.put(head.job(), first);
        if (snapshot.now() - first >= graceMs) {
          tells.put(head.job(), sentence(snapshot, head, left));
        }
      }
    }
    Verdicts verdicts = new Verdicts(ends, tells, withdraws);
    Set<Line> looked =
        whole ? Set.of() : snapshot.heads().stream().map(Line::of).collect(Collectors.toSet());
    Predicate<Line> lookedAt = whole ? line -> true : looked::contains;
    return new Found(
        new UnsatisfiableJobs(found, lines),
        verdicts,
        lines(snapshot, decision),
        lookedAt,
        never(snapshot, decision),
        snapshot);
  }

  private static Set<String> never(Snapshot snapshot, Decision decision) {
    Set<String> never = new LinkedHashSet<>();
    decision
        .unplaced()
        .forEach(
            (job, left) -> {
              if (left.reason() == UnschedulableReason.Reason.UNSATISFIABLE
                  && !snapshot.hosts().isEmpty()) {
                never.add(job);
              }
            });
    return never;
  }

  private Map<String, Long> notLookedAt(Snapshot snapshot) {
    Set<String> looked = snapshot.heads().stream().map(QueueHead::job).collect(Collectors.toSet());
    Map<String, Long> left = new HashMap<>();
    since.forEach(
        (job, first) -> {
          if (!looked.contains(job)
              && snapshot.now() - first < FORGOTTEN_AFTER_MS
              && left.size() < REMEMBERED) {
            left.put(job, first);
          }
        });
    return left;
  }

  /** Of lines whose first says already that nobody serves it: few, if there are any. */
  private static List<LineVerdict> lines(Snapshot snapshot, Decision decision) {
    if (snapshot.hosts().isEmpty() || snapshot.heads().stream().noneMatch(QueueHead::toldNever)) {
      return List.of();
    }
    Map<Line, List<QueueHead>> lines =
        snapshot.heads().stream()
            .collect(Collectors.groupingBy(Line::of, LinkedHashMap::new, Collectors.toList()));
    List<LineVerdict> verdicts = new ArrayList<>();
    lines.forEach((line, heads) -> line(snapshot, decision, line, heads).ifPresent(verdicts::add));
    return verdicts;
  }

  private static Optional<LineVerdict> line(
      Snapshot snapshot, Decision decision, Line line, List<QueueHead> heads) {
    Map<String, UnschedulableReason> unplaced = decision.unplaced();
    long looked = heads.stream().mapToLong(QueueHead::rank).max().orElseThrow();
    boolean served =
        heads.stream()
            .filter(QueueHead::toldNever)
            .map(head -> unplaced.get(head.job()))
            .anyMatch(left -> left == null || disproves(left));
    if (served) {
      return Optional.of(new LineVerdict(line, null, looked));
    }
    boolean hopeless =
        heads.stream()
            .allMatch(
                head ->
                    head.toldNever()
                        && unplaced.get(head.job()).reason()
                            == UnschedulableReason.Reason.UNSATISFIABLE);
    QueueHead first = heads.getFirst();
    return hopeless
        ? Optional.of(
            new LineVerdict(line, sentence(snapshot, first, unplaced.get(first.job())), looked))
        : Optional.empty();
  }

  private static String sentence(Snapshot snapshot, QueueHead head, UnschedulableReason left) {
    Optional<Duration> patience = snapshot.standing(head.queue()).settings().failUnsatisfiable();
    return left.sentence()
        + "; it waits for a host that can"
        + (patience.isPresent() ? ", as long as its queue lets it" : "");
  }

  /** Where its queue or its group lets no more start, who could serve it was not looked at. */
  static boolean disproves(UnschedulableReason left) {
    return switch (left.reason()) {
      case NO_ROOM, NO_MEMORY, HOSTS_AWAY, RESERVED, RESERVING, PREEMPTING -> true;
      case UNSATISFIABLE, LIMIT, GROUP -> false;
    };
  }
}
