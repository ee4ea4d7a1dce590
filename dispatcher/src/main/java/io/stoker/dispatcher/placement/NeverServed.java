package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.placement.PlacementPass.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Jobs of which pass after pass finds that no host can ever serve them, and since when. Their
 * status says so once that has stood for a while, and no more once a pass finds otherwise: hosts
 * that are about to register would else be missed by everybody for a moment, and as long as there
 * is none at all nothing is found of anybody. Soft state: after a takeover the while begins anew.
 *
 * @param since by job, ms since 1970
 */
public record NeverServed(Map<String, Long> since) {
  public static final NeverServed NOBODY = new NeverServed(Map.of());

  /**
   * What follows from a pass.
   *
   * @param next to be asked after the next one
   * @param verdicts what is to be done about it
   * @param lines what holds for all behind those that the pass has looked at
   */
  public record Found(NeverServed next, Verdicts verdicts, List<LineVerdict> lines) {}

  /**
   * Looks at what a pass has left.
   *
   * @param graceMs how long it is found before a status says so
   */
  public Found after(Snapshot snapshot, Decision decision, long graceMs) {
    Map<String, Long> found = new HashMap<>();
    Map<String, String> tells = new LinkedHashMap<>();
    Set<String> withdraws = new HashSet<>();
    Map<String, String> ends = Unsatisfiable.overdue(snapshot, decision);
    for (Head head : snapshot.heads()) {
      Unplaced left = decision.unplaced().get(head.job());
      if (left == null || snapshot.hosts().isEmpty() || ends.containsKey(head.job())) {
        continue;
      }
      if (head.toldNever() && disproves(left)) {
        withdraws.add(head.job());
      } else if (!head.toldNever() && left.reason() == Unplaced.Reason.NEVER) {
        long first = since.getOrDefault(head.job(), snapshot.now());
        found.put(head.job(), first);
        if (snapshot.now() - first >= graceMs) {
          tells.put(head.job(), sentence(snapshot, head, left));
        }
      }
    }
    Verdicts verdicts = new Verdicts(ends, tells, withdraws);
    return new Found(new NeverServed(found), verdicts, lines(snapshot, decision));
  }

  /** Of lines whose first says already that nobody serves it: few, if there are any. */
  private static List<LineVerdict> lines(Snapshot snapshot, Decision decision) {
    if (snapshot.hosts().isEmpty() || snapshot.heads().stream().noneMatch(Head::toldNever)) {
      return List.of();
    }
    Map<Line, List<Head>> lines =
        snapshot.heads().stream()
            .collect(Collectors.groupingBy(Line::of, LinkedHashMap::new, Collectors.toList()));
    List<LineVerdict> verdicts = new ArrayList<>();
    lines.forEach((line, heads) -> line(snapshot, decision, line, heads).ifPresent(verdicts::add));
    return verdicts;
  }

  private static Optional<LineVerdict> line(
      Snapshot snapshot, Decision decision, Line line, List<Head> heads) {
    Map<String, Unplaced> unplaced = decision.unplaced();
    long looked = heads.stream().mapToLong(Head::rank).max().orElseThrow();
    boolean served =
        heads.stream()
            .filter(Head::toldNever)
            .map(head -> unplaced.get(head.job()))
            .anyMatch(left -> left == null || disproves(left));
    if (served) {
      return Optional.of(new LineVerdict(line, null, looked));
    }
    boolean hopeless =
        heads.stream()
            .allMatch(
                head ->
                    head.toldNever() && unplaced.get(head.job()).reason() == Unplaced.Reason.NEVER);
    Head first = heads.getFirst();
    return hopeless
        ? Optional.of(
            new LineVerdict(line, sentence(snapshot, first, unplaced.get(first.job())), looked))
        : Optional.empty();
  }

  private static String sentence(Snapshot snapshot, Head head, Unplaced left) {
    Optional<Duration> patience = snapshot.standing(head.queue()).settings().failUnsatisfiable();
    return left.sentence()
        + "; it waits for a host that can"
        + (patience.isPresent() ? ", as long as its queue lets it" : "");
  }

  /** Where its queue or its group lets no more start, who could serve it was not looked at. */
  private static boolean disproves(Unplaced left) {
    return switch (left.reason()) {
      case NO_ROOM, NO_MEMORY, HOSTS_AWAY, RESERVED, RESERVING, PREEMPTING -> true;
      case NEVER, LIMIT, GROUP -> false;
    };
  }
}
