package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;

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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Hosts with memory, and jobs in line that take some of it. */
abstract class HostMemoryScene {
  static final long GIB = 1L << 30;
  static final long NOW = 10_000_000;
  static final long PATIENCE = 60_000;
  static final MemoryRules EXACT = new MemoryRules(1, 0);
  final List<AHost> hosts = new ArrayList<>();
  final List<AttemptRow> open = new ArrayList<>();
  final List<QueueHead> heads = new ArrayList<>();
  List<Reservation> reservations = List.of();

  /** A host of 8 CPU slots with so much memory, of which a job that runs there has so much. */
  void busy(String host, int memory, String job, int taken) {
    hosts.add(aHost(host).cpuSlots(8).memory(memory * GIB));
    open.add(runs(job, host, taken));
  }

  static ARequest asking(Long gib) {
    ARequest request = aRequest("r");
    return gib == null ? request : request.resource("memory", gib + "GiB");
  }

  static HostMemory known(Long measured, int ranOut) {
    Optional<Estimate> expected =
        measured == null
            ? Optional.empty()
            : EXACT.estimate(Of.HOST, From.LIKE_JOBS, new Peaks(List.of(measured * GIB), 1));
    return new HostMemory(new MemoryKeys(Of.HOST, "f", "p"), expected.orElse(null), ranOut);
  }

  void head(String job, ARequest request, Long measured, int ranOut) {
    var built = request.build();
    Shape shape = built.workers().isPresent() ? Shape.of(built) : Shape.of(built.resources());
    Memory memory = new Memory(Memory.UNKNOWN.keys(), null, false, known(measured, ranOut));
    heads.add(
        new QueueHead(
            job,
            built.queue(),
            shape,
            0,
            Arrival.first(NOW) + heads.size(),
            Avoid.NOTHING,
            Set.of(),
            memory));
  }

  static AttemptRow runs(String job, String host, long gib) {
    return anAttempt(job)
        .host(host)
        .heard(AttemptRow.State.RUNNING, 1)
        .placed(NOW, NOW)
        .hostMemory(gib * GIB)
        .row();
  }

  Snapshot snapshot(long now) {
    return FleetView.of(
            hosts.stream().map(AHost::row).toList(),
            open,
            heads,
            any -> true,
            id -> Optional.empty(),
            shape -> Set.of())
        .shared(Map.of(), reservations, now);
  }

  Decision decide() {
    return decide(NOW);
  }

  Decision decide(long now) {
    return PlacementPass.decide(snapshot(now), PATIENCE);
  }

  Map<String, String> placed() {
    return decide().assignments().stream()
        .collect(Collectors.toMap(Assignment::job, Assignment::host));
  }

  List<HostAnswer> answers(String job) {
    return HostAnswer.of(
        snapshot(NOW),
        heads.stream().filter(head -> head.job().equals(job)).findFirst().orElseThrow());
  }
}
