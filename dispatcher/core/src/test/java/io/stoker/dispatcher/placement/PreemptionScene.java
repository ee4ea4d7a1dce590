package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;

import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

/** A fleet, what runs there and what waits, for tests of who makes room for whom. */
abstract class PreemptionScene {
  static final long NOW = 100_000_000;
  static final long MINUTE = 60_000;
  static final long TIME = 10 * MINUTE;

  final List<AHost> hosts = new ArrayList<>();
  final List<QueueHead> heads = new ArrayList<>();
  final List<Running> running = new ArrayList<>();
  final Map<String, Standing> standings = new HashMap<>();
  List<Reservation> reservations = List.of();
  final List<PreemptionReservation> holds = new ArrayList<>();
  Long used;

  void weight(String queue, double weight) {
    standing(queue, weight, 0);
  }

  void had(String queue, double gpuMs) {
    standing(queue, 1, gpuMs);
  }

  void standing(String queue, double weight, double gpuMs) {
    standings.put(
        queue,
        new Standing(
            new QueueSettings(queue, weight, OptionalInt.empty(), OptionalInt.empty(), true),
            0,
            DeviceTime.NONE,
            new DeviceTime(gpuMs, 0)));
  }

  static Reservation hold(String job, String queue, String host, int gpus) {
    return new PreemptionReservation(job, queue, List.of(host), gpus, 0, NOW, null, null)
        .reservation(Map.of(host, gpus));
  }

  static ARequest shared(String memory) {
    return aRequest("r").gpus(1).resource("sharing", "shared").resource("gpuMemory", memory);
  }

  void waits(String job, ARequest request) {
    var built = request.build();
    heads.add(
        QueueHeads.head(
            job,
            built.queue(),
            Shape.of(built),
            built.priority(),
            Arrival.first(NOW - MINUTE) + heads.size(),
            List.of(),
            Set.of()));
  }

  Running runs(String job, int priority, String queue, long minutes, String host, int gpus) {
    return runs(job, priority, queue, minutes, true, host, gpus);
  }

  Running runs(
      String job,
      int priority,
      String queue,
      long minutes,
      boolean preemptible,
      String host,
      int gpus) {
    return runs(job, priority, queue, minutes, preemptible, List.of(host), gpus);
  }

  Running runs(String job, int priority, String queue, long minutes, List<String> on, int gpus) {
    return runs(job, priority, queue, minutes, true, on, gpus);
  }

  Running runs(
      String job,
      int priority,
      String queue,
      long minutes,
      boolean preemptible,
      List<String> on,
      int gpus) {
    List<AttemptRow> members =
        on.stream().map(host -> row(job, queue, host, gpus, null, NOW - minutes * MINUTE)).toList();
    return adds(new Running(job, "request-" + job, priority, preemptible, 0, members));
  }

  Running shares(String job, long hours, String host, long bytes) {
    AttemptRow row = row(job, "default", host, 1, bytes, NOW - hours * 60 * MINUTE);
    return adds(new Running(job, "request-" + job, 0, true, 0, List.of(row)));
  }

  Running adds(Running one) {
    running.add(one);
    return one;
  }

  static Running firm(Running one) {
    return new Running(one.job(), one.request(), one.priority(), false, 0, one.members());
  }

  static Running preempted(Running one, int times) {
    return new Running(one.job(), one.request(), one.priority(), true, times, one.members());
  }

  /** On the next GPUs of the host, or with those that share the first. */
  AttemptRow row(String job, String queue, String host, int gpus, Long bytes, long since) {
    int first =
        bytes != null
            ? 0
            : open().stream()
                .filter(row -> row.host().equals(host))
                .mapToInt(row -> row.takes().gpus())
                .sum();
    List<String> devices = IntStream.range(first, first + gpus).mapToObj(String::valueOf).toList();
    return since(
        anAttempt(job)
            .queue(queue)
            .host(host)
            .heard(AttemptRow.State.ACCEPTED, 1)
            .gpus(gpus)
            .placed(since, 0)
            .devices(devices)
            .gpuMemory(bytes)
            .row(),
        since);
  }

  static AttemptRow since(AttemptRow row, long when) {
    AttemptRow before =
        new AttemptRow(
            row.job(),
            row.number(),
            row.rank(),
            row.queue(),
            row.host(),
            row.offer(),
            row.takes(),
            new AttemptRow.Heard(AttemptRow.State.ACCEPTED, 1, row.devices(), null),
            row.told());
    return before.heard(2, AttemptRow.State.RUNNING, row.devices(), when);
  }

  static Running with(Running one, String forJob, String reason) {
    return new Running(
        one.job(),
        one.request(),
        one.priority(),
        one.preemptible(),
        one.preemptions(),
        one.members().stream()
            .map(row -> row.preempted(new AttemptRow.Preempted(forJob, null), reason))
            .toList());
  }

  void carryOut(Plan plan) {
    running.replaceAll(
        one ->
            plan.victims().stream().anyMatch(victim -> victim.job().equals(one.job()))
                ? with(one, plan.hold().job(), "preempted")
                : one);
    holds.add(plan.hold());
    reservations = PreemptionReservationRules.reservations(holds, open());
  }

  List<AttemptRow> open() {
    return running.stream().flatMap(one -> one.members().stream()).toList();
  }

  Optional<Heartbeat> beat(String host) {
    Heartbeat plain = aHost(host).heartbeat();
    DeviceTelemetry gpu = new DeviceTelemetry("0", used, null, null, null);
    return used == null
        ? Optional.empty()
        : Optional.of(
            new Heartbeat(host, plain.epoch(), 1, 1, 1, List.of(), plain.reserved(), List.of(gpu)));
  }

  Snapshot snapshot() {
    return FleetView.of(
            hosts.stream().map(AHost::row).toList(),
            open(),
            heads,
            host -> true,
            this::beat,
            shape -> Set.of())
        .shared(standings, reservations, NOW);
  }

  Optional<Plan> decide() {
    Snapshot snapshot = snapshot();
    Decision decision = PlacementPass.decide(snapshot, Long.MAX_VALUE);
    List<AttemptRow> all = Preemption.withRoom(open(), List.of(), snapshot, decision);
    List<HostRow> rows = hosts.stream().map(AHost::row).toList();
    CapacityAfterPreemption afterPreemption =
        new CapacityAfterPreemption(rows, all, host -> true, this::beat);
    return Preemption.decide(snapshot, decision, all, running, afterPreemption, TIME);
  }
}
