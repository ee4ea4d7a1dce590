package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Hours of passes over a small fleet, with jobs of all priorities and sizes, of three queues, on
 * one host and on several, held against what must never be. What fits where is counted anew here,
 * by GPUs alone.
 */
class PreemptionSeedsTest {
  private static final long MINUTE = 60_000;
  private static final long MIN_RUN = 10 * MINUTE;
  private static final long START = 100_000 * MINUTE;
  private static final int GPUS = 4;
  private static final int STEPS = 600;
  private static final int SEEDS = 15;

  private static final Map<String, Double> WEIGHTS = Map.of("a", 1.0, "b", 2.0, "c", 1.0);

  private final Map<String, Integer> free = new LinkedHashMap<>();
  private final List<HostRow> hosts = new ArrayList<>();
  private final Map<String, Job> jobs = new LinkedHashMap<>();
  private final Map<String, PreemptionReservation> holds = new LinkedHashMap<>();
  private final FairShare shares =
      new FairShare(
          new Queues(
              WEIGHTS.entrySet().stream()
                  .map(
                      entry ->
                          new QueueSettings(
                              entry.getKey(),
                              entry.getValue(),
                              OptionalInt.empty(),
                              OptionalInt.empty(),
                              true))
                  .toList()),
          new Decay(720 * MINUTE));
  private List<Reservation> reservations = List.of();
  private long now = START;
  private int plans;

  /** Over all seeds: what would prove nothing if it never came up. */
  private static int crossing;

  private static int gangs;

  private static final class Job {
    private final String id;
    private final String queue;
    private final int priority;
    private final boolean preemptible;
    private final int gpus;
    private final int members;
    private final long takes;
    private final Shape shape;
    private final long arrived;
    private long seq;
    private List<AttemptRow> open = List.of();
    private long endsAt;
    private int preemptions;
    private boolean done;

    Job(String id, Random random, long now) {
      this.id = id;
      queue = List.of("a", "b", "c").get(random.nextInt(3));
      priority = random.nextInt(4);
      preemptible = random.nextInt(4) > 0;
      gpus = 1 + random.nextInt(GPUS);
      members = random.nextInt(6) == 0 ? 2 : 1;
      takes = (1 + random.nextInt(60)) * MINUTE;
      seq = Arrival.first(now);
      arrived = now;
      ARequest request = aRequest(id).queue(queue).gpus(gpus).priority(priority);
      shape = Shape.of((members > 1 ? request.resource("hosts", members) : request).build());
    }

    boolean waits() {
      return !done && open.isEmpty();
    }

    Running running() {
      return new Running(id, id, priority, preemptible, preemptions, open);
    }
  }

  static IntStream seeds() {
    return IntStream.rangeClosed(1, SEEDS);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nobodyEndsForNothingOrBeforeHisTimeOrOverAndOver(int seed) {
    Random random = new Random(seed);
    for (String id : List.of("h1", "h2", "h3")) {
      hosts.add(aHost(id).gpus(GPUS).cpuSlots(0).row());
      free.put(id, GPUS);
    }
    for (int step = 0; step < STEPS; step++) {
      now += MINUTE / 2;
      if (random.nextInt(9) == 0) {
        Job job = new Job("j" + jobs.size(), random, now);
        jobs.put(job.id, job);
      }
      endWhatIsOver();
      schedule(random);
    }
    for (int step = 0; step < 40_000 && jobs.values().stream().anyMatch(job -> !job.done); step++) {
      now += MINUTE / 2;
      endWhatIsOver();
      schedule(random);
    }
    assertThat(jobs.values()).as("all get done").allMatch(job -> job.done);
    jobs.values()
        .forEach(
            job ->
                assertThat(MIN_RUN << job.preemptions)
                    .as("preempted %d times, runs %d min", job.preemptions, job.takes / MINUTE)
                    .isLessThanOrEqualTo(2 * Math.max(MIN_RUN, job.takes)));
    assertThat(free.values()).as("all is free when idle").allMatch(gpus -> gpus == GPUS);
    assertThat(plans).as("something was preempted").isPositive();
  }

  @AfterAll
  static void allThatMattersCameUp() {
    assertThat(crossing).as("from another queue").isPositive();
    assertThat(gangs).as("from gangs").isPositive();
  }

  private void endWhatIsOver() {
    for (Job job : jobs.values()) {
      if (!job.open.isEmpty() && now >= job.endsAt) {
        AttemptRow row = job.open.getFirst();
        job.open.forEach(one -> free.merge(one.host(), one.takes().gpus(), Integer::sum));
        job.open = List.of();
        if (row.preempted() == null) {
          job.done = true;
        } else {
          job.preemptions++;
          Long behind = row.preempted().behind();
          job.seq = Math.max(Arrival.first(job.arrived), behind == null ? 0 : behind);
        }
      }
    }
  }

  private List<AttemptRow> open() {
    return jobs.values().stream().flatMap(job -> job.open.stream()).toList();
  }

  private void schedule(Random random) {
    for (boolean more = true; more; ) {
      more = pass(random);
    }
  }

  private boolean pass(Random random) {
    Set<String> inLine =
        jobs.values().stream().filter(Job::waits).map(job -> job.id).collect(Collectors.toSet());
    PreemptionReservationRules.Outcome kept =
        PreemptionReservationRules.apply(List.copyOf(holds.values()), inLine, open(), now);
    kept.released().forEach(holds::remove);
    kept.changed().forEach(hold -> holds.put(hold.job(), hold));
    kept.released().stream()
        .map(jobs::get)
        .forEach(
            job -> assertThat(job.waits()).as("%s got what was made for it", job.id).isFalse());
    List<Reservation> all =
        new ArrayList<>(PreemptionReservationRules.reservations(kept.held(), open()));
    reservations.stream()
        .filter(reservation -> !holds.containsKey(reservation.job()))
        .forEach(all::add);
    List<AttemptRow> before = open();
    Snapshot snapshot =
        FleetView.of(
                hosts, before, heads(), host -> true, host -> Optional.empty(), shape -> Set.of())
            .shared(shares.standings(List.of(), before, WEIGHTS.keySet(), now), all, now);
    Decision decision = PlacementPass.decide(snapshot, 60 * MINUTE);
    reservations =
        decision.reservations().stream().filter(reservation -> !reservation.isMade()).toList();
    Set<String> placed = new HashSet<>();
    Optional<Plan> plan = decide(snapshot, decision, before);
    decision.assignments().forEach(given -> place(given, placed));
    heldRoomIsLeft(placed);
    plan.ifPresent(found -> carryOut(found, random));
    return plan.isPresent();
  }

  private Optional<Plan> decide(Snapshot snapshot, Decision decision, List<AttemptRow> before) {
    List<AttemptRow> rows = Preemption.withRoom(before, List.of(), snapshot, decision);
    List<Running> running =
        jobs.values().stream().filter(job -> !job.open.isEmpty()).map(Job::running).toList();
    CapacityAfterPreemption afterPreemption =
        new CapacityAfterPreemption(hosts, rows, host -> true, host -> Optional.empty());
    return Preemption.decide(snapshot, decision, rows, running, afterPreemption, MIN_RUN);
  }

  private List<QueueHead> heads() {
    return jobs.values().stream()
        .filter(Job::waits)
        .map(
            job ->
                QueueHeads.head(
                    job.id, job.queue, job.shape, job.priority, job.seq, List.of(), Set.of()))
        .toList();
  }

  /** GPUs of the host that nobody has. */
  private List<String> devices(Assignment given) {
    List<String> left =
        new ArrayList<>(IntStream.range(0, GPUS).mapToObj(String::valueOf).toList());
    open().stream()
        .filter(row -> row.host().equals(given.host()))
        .forEach(row -> left.removeAll(row.devices()));
    assertThat(left.size())
        .as("GPUs of " + given.host())
        .isGreaterThanOrEqualTo(given.takes().gpus());
    return left.subList(0, given.takes().gpus());
  }

  private void place(Assignment given, Set<String> placed) {
    Job job = jobs.get(given.job());
    List<String> devices = devices(given);
    List<AttemptRow> open = new ArrayList<>(job.open);
    AttemptRow row =
        anAttempt(job.id)
            .number(job.preemptions + 1)
            .queue(job.queue)
            .host(given.host())
            .gpus(given.takes().gpus())
            .placed(now, now)
            .row();
    open.add(row.heard(1, AttemptRow.State.RUNNING, devices, now));
    job.open = open;
    job.endsAt = now + job.takes;
    placed.add(job.id);
    assertThat(free.merge(given.host(), -given.takes().gpus(), Integer::sum))
        .as("never more than there is on %s", given.host())
        .isNotNegative();
  }

  /** When all that is ended on its hosts is over, a job for which that was has started. */
  private void heldRoomIsLeft(Set<String> placed) {
    for (PreemptionReservation hold : holds.values()) {
      boolean over =
          open().stream()
              .noneMatch(row -> row.preempted() != null && hold.hosts().contains(row.host()));
      if (over && jobs.get(hold.job()).waits() && !placed.contains(hold.job())) {
        throw new AssertionError(
            "%s waits although its room was made: %s, free %s".formatted(hold.job(), hold, free));
      }
    }
  }

  private void carryOut(Plan plan, Random random) {
    plans++;
    Job waiting = jobs.get(plan.hold().job());
    assertThat(plan.victims()).isNotEmpty();
    for (Running victim : plan.victims()) {
      Job job = jobs.get(victim.job());
      assertThat(job.preemptible).isTrue();
      assertThat(victim.members()).as("all of a gang").hasSize(job.members);
      gangs += job.members > 1 ? 1 : 0;
      crossing += job.queue.equals(waiting.queue) ? 0 : 1;
      assertThat(job.open).allMatch(row -> row.cancelReason() == null);
      assertThat(now - job.open.getFirst().runningSince())
          .as("its time")
          .isGreaterThanOrEqualTo(MIN_RUN << job.preemptions);
      if (job.queue.equals(waiting.queue)) {
        assertThat(job.priority).isLessThan(waiting.priority);
      }
    }
    helpsAndNobodyCouldBeSpared(plan, waiting);
    sharesAreKept(plan, waiting);
    long grace = random.nextInt(4) * MINUTE / 2;
    for (Running victim : plan.victims()) {
      Job job = jobs.get(victim.job());
      boolean same = job.queue.equals(waiting.queue);
      AttemptRow.Preempted by =
          new AttemptRow.Preempted(
              waiting.id, same ? ReadyRow.behindHigher(ReadyRow.AGING_MS, now) : null);
      job.open = job.open.stream().map(row -> row.preempted(by, "preempted")).toList();
      job.endsAt = now + grace;
    }
    holds.put(plan.hold().job(), plan.hold());
  }

  private void helpsAndNobodyCouldBeSpared(Plan plan, Job waiting) {
    Set<String> victims = plan.victims().stream().map(Running::job).collect(Collectors.toSet());
    assertThat(plan.hold().hosts()).hasSize(waiting.members).doesNotHaveDuplicates();
    assertThat(fits(plan, waiting, victims::contains)).as("it helps").isTrue();
    for (String spared : victims) {
      Predicate<String> others = job -> victims.contains(job) && !job.equals(spared);
      assertThat(fits(plan, waiting, others)).as("%s could be spared", spared).isFalse();
    }
  }

  private boolean fits(Plan plan, Job waiting, Predicate<String> gone) {
    return plan.hold().hosts().stream()
        .allMatch(
            host -> {
              int had =
                  open().stream()
                      .filter(row -> row.host().equals(host))
                      .filter(row -> row.cancelReason() == null && !gone.test(row.job()))
                      .mapToInt(row -> row.takes().gpus())
                      .sum();
              int held =
                  holds.values().stream()
                      .filter(hold -> jobs.get(hold.job()).waits() && hold.hosts().contains(host))
                      .mapToInt(PreemptionReservation::gpus)
                      .sum();
              return GPUS - had - held >= waiting.gpus;
            });
  }

  /** Who gives to another queue keeps what is due, and who gets has no more than that. */
  private void sharesAreKept(Plan plan, Job waiting) {
    Map<String, Integer> has = new HashMap<>();
    open().stream()
        .filter(row -> row.cancelReason() == null)
        .forEach(row -> has.merge(row.queue(), row.takes().gpus(), Integer::sum));
    holds.values().stream()
        .filter(hold -> jobs.get(hold.job()).waits())
        .forEach(hold -> has.merge(hold.queue(), hold.gpus() * hold.hosts().size(), Integer::sum));
    Set<String> atWork = new HashSet<>(has.keySet());
    jobs.values().stream().filter(Job::waits).forEach(job -> atWork.add(job.queue));
    double weights = atWork.stream().mapToDouble(WEIGHTS::get).sum();
    double all = GPUS * hosts.size();
    Set<String> giving = new HashSet<>();
    for (Running victim : plan.victims()) {
      Job job = jobs.get(victim.job());
      has.merge(job.queue, -job.gpus * job.members, Integer::sum);
      giving.add(job.queue);
    }
    giving.remove(waiting.queue);
    if (giving.isEmpty()) {
      return;
    }
    for (String queue : giving) {
      assertThat(has.getOrDefault(queue, 0) + 1e-6)
          .as("%s keeps what is due", queue)
          .isGreaterThanOrEqualTo(all * WEIGHTS.get(queue) / weights);
    }
    assertThat(has.getOrDefault(waiting.queue, 0) + waiting.gpus * waiting.members - 1e-6)
        .as("%s gets no more than is due", waiting.queue)
        .isLessThanOrEqualTo(all * WEIGHTS.get(waiting.queue) / weights);
  }
}
