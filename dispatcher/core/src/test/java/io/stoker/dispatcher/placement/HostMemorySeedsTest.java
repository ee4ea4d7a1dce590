package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Hours of passes over three hosts whose jobs grow, say too little, too much or nothing of what
 * they take, and are killed where a host is full, held against what must never be.
 */
class HostMemorySeedsTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final long MINUTE = 60_000;
  private static final long START = 100_000 * MINUTE;
  private static final long SYSTEM = GIB;
  private static final int STEPS = 400;
  private static final Map<String, Long> HOSTS =
      Map.of("h1", 16 * GIB, "h2", 16 * GIB, "h3", 32 * GIB);

  private final MemoryRules rules = new MemoryRules(0.95, 0.1);
  private final Map<String, Job> jobs = new LinkedHashMap<>();
  private final Map<String, List<Long>> peaks = new HashMap<>();
  private List<Reservation> reservations = List.of();
  private long now = START;

  /** Over all seeds: what would prove nothing if it never came up. */
  private static int ranOut;

  private static int alone;
  private static int kept;
  private static int lacked;

  private static final class Job {
    private final String id;
    private final int kind;
    private final long takes;
    private final long runs;
    private final Shape shape;
    private final long seq;
    private AttemptRow open;
    private int attempts;
    private int ranOut;
    private boolean done;

    Job(String id, Random random, long now) {
      this.id = id;
      kind = random.nextInt(5);
      long most = (kind + 1) * 2_700 * MIB;
      takes = most - random.nextInt(600) * MIB;
      runs = (2 + random.nextInt(30)) * MINUTE;
      seq = Arrival.first(now);
      ARequest request = aRequest(id);
      // The hint of half of them is far from the truth, on either side.
      long hint = takes * (1 + random.nextInt(4)) / 2;
      shape =
          Shape.of(
              (random.nextBoolean()
                      ? request
                      : request.resource("memory", Math.min(hint, 14 * GIB)))
                  .build()
                  .resources());
    }

    boolean waits() {
      return !done && open == null;
    }

    /** It has all of it after half of its run. */
    long taken(long now) {
      return Math.min(takes, takes * 2 * (now - open.placedAt()) / runs);
    }
  }

  static IntStream seeds() {
    return IntStream.rangeClosed(1, 4);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nothingIsPromisedTwiceAndAllGetDone(int seed) {
    Random random = new Random(seed);
    for (int step = 0; step < STEPS; step++) {
      now += MINUTE / 2;
      if (random.nextInt(2) == 0) {
        Job job = new Job("j" + jobs.size(), random, now);
        jobs.put(job.id, job);
      }
      grow();
      pass();
    }
    for (int step = 0; step < 20_000 && jobs.values().stream().anyMatch(job -> !job.done); step++) {
      now += MINUTE / 2;
      grow();
      pass();
    }
    assertThat(jobs.values()).as("all get done").allMatch(job -> job.done);
    assertThat(jobs.values())
        .as("who has a host's memory alone does not run out of it")
        .allMatch(job -> job.ranOut <= HostMemory.ALONE_AFTER);
  }

  @AfterAll
  static void allThatMattersCameUp() {
    assertThat(ranOut).as("ran out").isPositive();
    assertThat(alone).as("alone").isPositive();
    assertThat(kept).as("a host was kept for its memory").isPositive();
    assertThat(lacked).as("lacked memory alone").isPositive();
  }

  private Stream<Job> on(String host) {
    return jobs.values().stream().filter(job -> job.open != null && job.open.host().equals(host));
  }

  private long taken(String host) {
    return SYSTEM + on(host).mapToLong(job -> job.taken(now)).sum();
  }

  private void grow() {
    for (Job job : jobs.values()) {
      if (job.open != null && now - job.open.placedAt() >= job.runs) {
        learn(job, job.takes);
        job.open = null;
        job.done = true;
      }
    }
    HOSTS.forEach(
        (host, total) -> {
          while (taken(host) > total) {
            kill(on(host).max(Comparator.comparingLong(job -> job.taken(now))).orElseThrow());
          }
        });
  }

  private void kill(Job job) {
    ranOut++;
    job.ranOut++;
    learn(job, job.taken(now) * 3 / 2);
    job.open = null;
  }

  private void learn(Job job, long peak) {
    for (String key : List.of("kind " + job.kind, job.id)) {
      List<Long> known = peaks.computeIfAbsent(key, any -> new ArrayList<>());
      known.addFirst(peak);
      peaks.put(key, new ArrayList<>(known.subList(0, Math.min(64, known.size()))));
    }
  }

  private Estimate expected(Job job) {
    return estimate(job.id, From.EQUAL_JOBS)
        .or(() -> estimate("kind " + job.kind, From.LIKE_JOBS))
        .orElse(null);
  }

  private Optional<Estimate> estimate(String key, From from) {
    List<Long> known = peaks.getOrDefault(key, List.of());
    return rules.estimate(Of.HOST, from, new Peaks(known, known.size()));
  }

  private void pass() {
    Snapshot snapshot = snapshot();
    Decision decision = PlacementPass.decide(snapshot, 20 * MINUTE);
    for (Assignment given : decision.assignments()) {
      Job job = jobs.get(given.job());
      QueueHead head = head(job);
      job.attempts++;
      job.open = row(job, given);
      alone += head.hostMemory() != null && head.hostMemory().equals(MemoryNeed.ALL) ? 1 : 0;
    }
    reservations = decision.reservations();
    kept +=
        (int) reservations.stream().filter(reservation -> !reservation.hosts().isEmpty()).count();
    HOSTS.forEach(
        (host, total) ->
            assertThat(
                    on(host)
                        .map(job -> job.open.takes().hostMemory())
                        .filter(bytes -> bytes != null)
                        .mapToLong(bytes -> bytes)
                        .sum())
                .as("promised on %s", host)
                .isLessThanOrEqualTo(total));
    nobodyWaitsForNothing(decision);
  }

  private void nobodyWaitsForNothing(Decision decision) {
    Snapshot after = snapshot();
    decision
        .unplaced()
        .forEach(
            (id, why) -> {
              QueueHead head = head(jobs.get(id));
              assertThat(why.reason()).isNotEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
              if (why.reason() == UnschedulableReason.Reason.NO_MEMORY) {
                lacked++;
                if (head.hostMemory() != null) {
                  assertThat(why.sentence()).contains(head.hostMemory().describe());
                }
              }
              assertThat(HostAnswer.of(after, head))
                  .as("%s is said to wait since %s", id, why)
                  .noneMatch(answer -> answer.obstacle() == null);
            });
  }

  private Snapshot snapshot() {
    List<AttemptRow> open = new ArrayList<>();
    Map<String, AHost> hosts = new LinkedHashMap<>();
    for (String id : HOSTS.keySet().stream().sorted().toList()) {
      AHost host = aHost(id).cpuSlots(6).memory(HOSTS.get(id));
      host.memoryFree(HOSTS.get(id) - taken(id));
      on(id)
          .forEach(
              job -> {
                open.add(job.open);
                host.holds(job.open, job.taken(now));
              });
      hosts.put(id, host);
    }
    return FleetView.of(
            hosts.values().stream().map(AHost::row).toList(),
            open,
            jobs.values().stream().filter(Job::waits).map(this::head).toList(),
            host -> true,
            host -> Optional.of(hosts.get(host).heartbeat()),
            shape -> Set.of())
        .shared(Map.of(), reservations, now);
  }

  private QueueHead head(Job job) {
    HostMemory known =
        new HostMemory(new MemoryKeys(Of.HOST, job.id, "p"), expected(job), job.ranOut);
    return new QueueHead(
        job.id,
        "default",
        job.shape,
        0,
        job.seq,
        Avoid.NOTHING,
        Set.of(),
        new Memory(Memory.UNKNOWN.keys(), null, false, known));
  }

  private AttemptRow row(Job job, Assignment given) {
    return anAttempt(job.id)
        .number(job.attempts)
        .host(given.host())
        .heard(AttemptRow.State.RUNNING, 1)
        .cpuSlots(given.takes().cpuSlots())
        .placed(now, now)
        .hostMemory(given.takes().hostMemory())
        .row();
  }
}
