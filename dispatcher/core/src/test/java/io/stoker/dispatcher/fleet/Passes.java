package io.stoker.dispatcher.fleet;

import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.fleet.Trace.Job;
import io.stoker.dispatcher.fleet.VirtualFleet.Run;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.UsageRow;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.Hosts;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The dispatcher's passes over a virtual fleet: the same heads, standings, decisions and claims,
 * again until nothing more is placed.
 */
final class Passes implements VirtualFleet.Policy {
  private static final long MINUTE = 60_000;
  private static final int HEADS = 32;
  private static final long START = Arrival.PER_MS;
  private static final List<DeviceInfo> DEVICES =
      IntStream.range(0, Trace.GPUS)
          .mapToObj(i -> new DeviceInfo(String.valueOf(i), "GPU-" + i, "virtual", 1L << 33, "9.0"))
          .toList();

  private final Map<String, Map<Integer, TreeMap<Long, Job>>> lines = new LinkedHashMap<>();
  private final Map<String, Job> byId = new HashMap<>();
  private final Map<Integer, Shape> shapes = new HashMap<>();
  private final Map<String, Usage> usage = new HashMap<>();
  private final Decay decay = new Decay(12 * 60 * MINUTE);
  private final FairShare shares;
  private List<Reservation> reservations = List.of();
  private final Map<String, Long> firstSince = new HashMap<>();
  private long longestClaimMs;
  private long longestFirstMs;
  private int claimed;
  private int passes;

  Passes(Trace trace) {
    List<QueueSettings> queues = new ArrayList<>();
    trace
        .weights()
        .forEach(
            (name, weight) ->
                queues.add(
                    new QueueSettings(
                        name, weight, OptionalInt.empty(), OptionalInt.empty(), true)));
    shares = new FairShare(new Queues(queues), decay);
    trace.jobs().forEach(this::enqueue);
  }

  private void enqueue(Job job) {
    byId.put(job.id(), job);
    line(job).put(job.seq(), job);
  }

  private TreeMap<Long, Job> line(Job job) {
    return lines
        .computeIfAbsent(job.queue(), queue -> new TreeMap<>())
        .computeIfAbsent(job.gpus(), gpus -> new TreeMap<>());
  }

  /** From a claim to the start of its job, the longest that there was, in minutes. */
  long longestClaim() {
    return longestClaimMs / MINUTE;
  }

  int claimed() {
    return claimed;
  }

  int passes() {
    return passes;
  }

  /** From being the first of its queue to its start, the longest that there was, in minutes. */
  long longestFirst() {
    return longestFirstMs / MINUTE;
  }

  /** Whether jobs of the queue are in line. */
  boolean waits(String queue) {
    return lines.get(queue).values().stream().anyMatch(line -> !line.isEmpty());
  }

  @Override
  public void place(VirtualFleet fleet) {
    long now = fleet.minute() * MINUTE + Arrival.ms(START) + 10 * MINUTE;
    boolean more = true;
    while (more) {
      Decision decision = PlacementPass.decide(snapshot(fleet, now), MINUTE);
      passes++;
      for (Assignment one : decision.assignments()) {
        Job job = byId.get(one.job());
        line(job).remove(job.seq());
        fleet.start(job, Integer.parseInt(one.host()));
        reservations.stream()
            .filter(reservation -> reservation.job().equals(one.job()))
            .forEach(
                reservation ->
                    longestClaimMs = Math.max(longestClaimMs, now - reservation.since()));
      }
      claimed +=
          (int)
              decision.reservations().stream()
                  .filter(reservation -> reservation.since() == now)
                  .count();
      boolean kept = decision.reservations().equals(reservations);
      reservations = decision.reservations();
      more = !decision.assignments().isEmpty() || !kept;
    }
    lines.keySet().forEach(queue -> watchFirst(queue, now));
  }

  private void watchFirst(String queue, long now) {
    String first =
        lines.get(queue).values().stream()
            .filter(line -> !line.isEmpty())
            .map(line -> line.firstEntry().getValue())
            .min(Comparator.comparingLong(Job::seq))
            .map(Job::id)
            .orElse("none of " + queue);
    long since = firstSince.computeIfAbsent(first, job -> now);
    longestFirstMs = Math.max(longestFirstMs, now - since);
  }

  private Snapshot snapshot(VirtualFleet fleet, long now) {
    List<Host> hosts = new ArrayList<>();
    for (int host = 0; host < Trace.HOSTS; host++) {
      boolean usable = fleet.usable(host);
      String id = String.valueOf(host);
      hosts.add(Hosts.unshared(id, usable ? null : "is away", DEVICES, fleet.free(host), Map.of()));
    }
    List<AttemptRow> open = fleet.running().stream().map(run -> attempt(run, now, fleet)).toList();
    Map<String, Standing> standings = shares.standings(usage.values(), open, lines.keySet(), now);
    return new Snapshot(hosts, heads()).shared(standings, reservations, now);
  }

  private List<QueueHead> heads() {
    List<QueueHead> heads = new ArrayList<>();
    for (Map<Integer, TreeMap<Long, Job>> bySize : lines.values()) {
      for (TreeMap<Long, Job> line : bySize.values()) {
        line.values().stream().limit(HEADS).forEach(job -> heads.add(head(job)));
      }
    }
    return heads;
  }

  private QueueHead head(Job job) {
    return new QueueHead(
        job.id(),
        job.queue(),
        shape(job.gpus()),
        0,
        START + job.seq(),
        Avoid.NOTHING,
        Set.of(),
        Memory.UNKNOWN);
  }

  private Shape shape(int gpus) {
    return shapes.computeIfAbsent(
        gpus,
        n ->
            new Shape(
                n, 0, null, null, false, null, true, false, null, null, null, 0, null, null, null,
                null));
  }

  private static AttemptRow attempt(Run run, long now, VirtualFleet fleet) {
    long placedAt = now - (fleet.minute() - run.startedAt()) * MINUTE;
    return attempt(run, placedAt);
  }

  private static AttemptRow attempt(Run run, long placedAt) {
    Job job = run.job();
    return anAttempt(job.id())
        .queue(job.queue())
        .host(String.valueOf(run.host()))
        .heard(AttemptRow.State.RUNNING, 1)
        .gpus(job.gpus())
        .placed(placedAt, 0)
        .row();
  }

  @Override
  public void ended(Run run, int minute, boolean failed) {
    long now = minute * MINUTE + Arrival.ms(START) + 10 * MINUTE;
    UsageRow row = UsageRow.of(attempt(run, now - (minute - run.startedAt()) * MINUTE), now);
    String queue = row.queue();
    Usage known = usage.getOrDefault(queue, new Usage(queue, DeviceTime.NONE, now));
    usage.put(queue, known.plus(row, decay));
    if (failed) {
      line(run.job()).put(run.job().seq(), run.job());
    }
  }
}
