package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.Heard;
import io.stoker.dispatcher.model.AttemptRow.Offer;
import io.stoker.dispatcher.model.AttemptRow.Told;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds whose room a waiting job may take. It takes nothing unless that makes it fit, for one job a
 * pass, and of all that would do what has least work to lose.
 *
 * <p>May be taken: jobs that say so and have had their time, and have a lower priority in the same
 * queue; or belong to a queue that can spare it, for a queue to which it is due and that has had no
 * more for its weight. So nobody takes anything back.
 */
public final class Preemption {
  /** Jobs that are looked at in a pass, of those that ask for different things. */
  private static final int LOOKED_AT = 24;

  private final Snapshot snapshot;
  private final Decision decision;
  private final List<AttemptRow> open;
  private final List<Running> running;
  private final CapacityAfterPreemption afterPreemption;
  private final FeasibleHosts feasible;
  private final Map<Boolean, Entitlements> entitlements = new HashMap<>();

  /**
   * Who is to make room for whom.
   *
   * @param hold of the job that gets it: on the hosts where it will start
   * @param victims those that end for it, each with all of its hosts
   */
  public record Plan(PreemptionReservation hold, List<Running> victims) {}

  private record Alike(String queue, int priority, SchedulingKey asked) {}

  private Preemption(
      Snapshot snapshot,
      Decision decision,
      List<AttemptRow> open,
      List<Running> running,
      CapacityAfterPreemption afterPreemption) {
    this.snapshot = snapshot;
    this.decision = decision;
    this.open = open;
    this.running = running;
    this.afterPreemption = afterPreemption;
    feasible = new FeasibleHosts(snapshot.hosts(), snapshot.ties());
  }

  /** Whether somebody waits who might get another one's room. */
  public static boolean worthALook(Decision decision) {
    return decision.unplaced().values().stream().anyMatch(Preemption::waitsForRoom);
  }

  /**
   * Decides after a pass.
   *
   * @param open the attempts {@linkplain #withRoom that have room}
   * @param running jobs that may be ended, as far as they themselves are asked
   * @param afterPreemption the hosts of these attempts
   * @param minRunMs how long a job may run in any case, at first
   */
  public static Optional<Plan> decide(
      Snapshot snapshot,
      Decision decision,
      List<AttemptRow> open,
      List<Running> running,
      CapacityAfterPreemption afterPreemption,
      long minRunMs) {
    List<Running> may =
        running.stream()
            .filter(one -> one.preemptible() && one.hasHadItsTime(minRunMs, snapshot.now()))
            .toList();
    return may.isEmpty()
        ? Optional.empty()
        : new Preemption(snapshot, decision, open, may, afterPreemption).decide();
  }

  private Optional<Plan> decide() {
    Set<String> held =
        snapshot.reservations().stream()
            .filter(Reservation::isMade)
            .map(Reservation::job)
            .collect(Collectors.toSet());
    Set<Alike> looked = new HashSet<>();
    return snapshot.heads().stream()
        .filter(this::waits)
        .filter(head -> !held.contains(head.job()))
        .sorted(
            Comparator.<QueueHead>comparingDouble(head -> dues(need(head)).had(head.queue()))
                .thenComparing(Comparator.comparingInt(QueueHead::priority).reversed())
                .thenComparing(QueueHead::rank)
                .thenComparing(QueueHead::job))
        .filter(
            head -> looked.add(new Alike(head.queue(), head.priority(), SchedulingKey.of(head))))
        .filter(head -> !takeable(head, need(head)).isEmpty())
        .limit(LOOKED_AT)
        .map(this::planFor)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** What is being ended to make room for the job, of these. */
  public static List<Running> awaited(List<Running> running, String job) {
    return running.stream()
        .filter(one -> one.members().stream().anyMatch(row -> isFor(row, job)))
        .toList();
  }

  /** Whether an attempt was told to end for that job. */
  public static boolean isFor(AttemptRow row, String job) {
    return row.preempted() != null && row.preempted().forJob().equals(job);
  }

  /** The decision as it is said: to those for whom others are being ended, that. */
  public static Decision told(Decision decision, List<Running> running, Optional<Plan> plan) {
    Map<String, UnschedulableReason> unplaced = new LinkedHashMap<>(decision.unplaced());
    unplaced.replaceAll(
        (job, left) -> {
          List<Running> ended =
              plan.filter(found -> found.hold().job().equals(job))
                  .map(Plan::victims)
                  .orElseGet(() -> awaited(running, job));
          return ended.isEmpty() ? left : UnschedulableReason.preempting(ended);
        });
    return new Decision(
        decision.assignments(),
        unplaced,
        decision.reservations(),
        decision.searches(),
        decision.roomLeft());
  }

  private boolean waits(QueueHead head) {
    UnschedulableReason left = decision.unplaced().get(head.job());
    return left != null && waitsForRoom(left) && head.shape().onHost();
  }

  private static boolean waitsForRoom(UnschedulableReason left) {
    return switch (left.reason()) {
      case NO_ROOM, NO_MEMORY, RESERVED, RESERVING -> true;
      case UNSATISFIABLE, LIMIT, GROUP, HOSTS_AWAY, PREEMPTING -> false;
    };
  }

  /** What is held for jobs that wait on, after this pass. */
  private List<Reservation> made() {
    return decision.reservations().stream().filter(Reservation::isMade).toList();
  }

  private Need need(QueueHead head) {
    return feasible.need(head).orElseThrow();
  }

  private Entitlements dues(Need need) {
    return entitlements.computeIfAbsent(
        need.onGpus(),
        onGpus ->
            new Entitlements(
                snapshot,
                open,
                made(),
                snapshot.heads().stream()
                    .filter(head -> waits(head) && need(head).onGpus() == onGpus)
                    .map(QueueHead::queue)
                    .toList(),
                onGpus));
  }

  /** Whoever may be taken for it. */
  private List<Running> takeable(QueueHead head, Need need) {
    Entitlements counted = dues(need);
    boolean due = counted.isDue(head.queue(), need.count() * head.shape().members());
    return running.stream()
        .filter(one -> one.amount(need.onGpus()) > 0)
        .filter(
            one ->
                one.queue().equals(head.queue())
                    ? one.priority() < head.priority()
                    : due
                        && counted.canSpare(one.queue(), one.amount(need.onGpus()))
                        && counted.had(head.queue()) <= counted.had(one.queue()))
        .toList();
  }

  private Optional<Plan> planFor(QueueHead head) {
    Need need = need(head);
    VictimSelection victims =
        new VictimSelection(
            takeable(head, need),
            (host, gone) -> fits(host, head, need, gone),
            given -> spared(given, head, need),
            snapshot.now());
    return victims
        .on(hosts(head, need), head.shape().members())
        .map(found -> new Plan(hold(head, need, found), found.victims()));
  }

  private PreemptionReservation hold(QueueHead head, Need need, VictimSelection.Selection found) {
    return new PreemptionReservation(
        head.job(),
        head.queue(),
        found.hosts(),
        need.gpus(),
        need.cpuSlots(),
        snapshot.now(),
        null,
        need.memory() == null ? null : Long.valueOf(need.memory().bytes()));
  }

  /** Those that may serve it, unless one is kept free for another job that has waited long. */
  private List<String> hosts(QueueHead head, Need need) {
    Set<String> kept =
        decision.reservations().stream()
            .filter(reservation -> !reservation.isMade() && !reservation.job().equals(head.job()))
            .flatMap(reservation -> reservation.hosts().stream())
            .collect(Collectors.toSet());
    List<String> hosts = new ArrayList<>();
    for (HostCapacity capacity : feasible.able(SchedulingKey.of(head), head, need)) {
      if (capacity.mayServe(head)
          && !capacity.host().onTrialNow()
          && !kept.contains(capacity.id())) {
        hosts.add(capacity.id());
      }
    }
    return hosts;
  }

  /** Whether it fits, once they and all that is being ended are gone, beside what is held there. */
  private boolean fits(String host, QueueHead head, Need need, Set<String> gone) {
    HostCapacity capacity = new HostCapacity(afterPreemption.host(host, gone));
    made().stream()
        .filter(reservation -> reservation.hosts().contains(host))
        .forEach(reservation -> capacity.keep(reservation.made(), reservation.job()));
    return capacity.notNow(head, need, false).isEmpty();
  }

  /** Whether other queues can spare all of it. */
  private boolean spared(Set<Running> given, QueueHead head, Need need) {
    Map<String, Integer> lost = new HashMap<>();
    given.stream()
        .filter(one -> !one.queue().equals(head.queue()))
        .forEach(one -> lost.merge(one.queue(), one.amount(need.onGpus()), Integer::sum));
    return lost.entrySet().stream()
        .allMatch(entry -> dues(need).canSpare(entry.getKey(), entry.getValue()));
  }

  /**
   * What has room of hosts after a pass: with what it placed, as it will be open, and without what
   * is held behind slots, since that is called back from where others end.
   *
   * @param held what of the open attempts is
   */
  public static List<AttemptRow> withRoom(
      List<AttemptRow> open, List<AttemptRow> held, Snapshot snapshot, Decision decision) {
    Map<String, String> queues =
        snapshot.heads().stream()
            .collect(Collectors.toMap(QueueHead::job, QueueHead::queue, (one, same) -> one));
    Set<AttemptRow.Key> behind = held.stream().map(AttemptRow::key).collect(Collectors.toSet());
    List<AttemptRow> all = new ArrayList<>(open);
    all.removeIf(row -> behind.contains(row.key()));
    for (Assignment given : decision.assignments()) {
      if (given.ahead()) {
        continue;
      }
      all.add(
          new AttemptRow(
              given.job(),
              0,
              0,
              Objects.requireNonNull(queues.get(given.job())),
              given.host(),
              new Offer("", snapshot.now(), snapshot.now()),
              given.takes(),
              Heard.NOTHING,
              Told.NOTHING));
    }
    return all;
  }
}
