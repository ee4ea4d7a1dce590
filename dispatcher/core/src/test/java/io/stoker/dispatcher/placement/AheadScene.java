package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;

import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LookAhead.Call;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A fleet that holds jobs behind its CPU slots, for tests of what it is given and called back. */
abstract class AheadScene {
  static final long MIN_RUN = 600_000;

  final RunTimes times = new RunTimes();
  final LookAhead lookAhead = new LookAhead(times);
  final List<AHost> hosts = new ArrayList<>(List.of(aHost("h1").cpuSlots(1).lookAhead(64)));
  final List<AttemptRow> open = new ArrayList<>();
  final List<QueueHead> heads = new ArrayList<>();
  final List<Running> running = new ArrayList<>();
  List<Reservation> reservations = List.of();
  long now = 10_000_000;

  void inLine(String job, String profile, ARequest request) {
    var built = request.build();
    Memory memory =
        new Memory(
            Memory.UNKNOWN.keys(),
            null,
            false,
            new HostMemory(new MemoryKeys(Of.HOST, "f", profile), null, 0));
    heads.add(
        new QueueHead(
            job,
            built.queue(),
            Shape.of(built),
            built.priority(),
            Arrival.first(now) + heads.size(),
            Avoid.NOTHING,
            Set.of(),
            memory));
  }

  void inLine(String... jobs) {
    for (String job : jobs) {
      inLine(job, "short", aRequest(job));
    }
  }

  record Pass(Snapshot snapshot, Decision decision, Optional<Plan> plan, List<Call> calls) {
    List<String> ahead() {
      return decision.assignments().stream()
          .filter(Assignment::ahead)
          .map(Assignment::job)
          .toList();
    }

    List<String> calledBack() {
      return calls.stream().map(Call::message).map(ToAgent.CallBack::job).toList();
    }
  }

  /** A pass, after which what it placed is open. */
  Pass pass() {
    List<HostRow> rows = hosts.stream().map(AHost::row).toList();
    Snapshot found =
        FleetView.of(rows, open, heads, any -> true, id -> Optional.empty(), shape -> Set.of());
    Snapshot snapshot =
        found
            .of(lookAhead.offering(found.hosts(), rows, open, now))
            .shared(Map.of(), reservations, now)
            .running(lookAhead.expected(heads));
    Decision decision = PlacementPass.decide(snapshot, Long.MAX_VALUE);
    List<AttemptRow> held = lookAhead.beyondSlots(snapshot.hosts(), rows, open);
    List<AttemptRow> room = Preemption.withRoom(open, held, snapshot, decision);
    CapacityAfterPreemption afterPreemption =
        new CapacityAfterPreemption(rows, room, any -> true, id -> Optional.empty());
    Optional<Plan> plan =
        Preemption.decide(snapshot, decision, room, running, afterPreemption, MIN_RUN);
    List<Call> calls = lookAhead.calls(snapshot, decision, plan, rows, List.copyOf(open), now);
    Map<String, String> queues =
        heads.stream().collect(Collectors.toMap(QueueHead::job, QueueHead::queue));
    List<AttemptRow> opened =
        decision.assignments().stream()
            .map(one -> attempt(one.job(), queues.get(one.job()), one.host()))
            .toList();
    open.addAll(opened);
    heads.removeIf(head -> opened.stream().anyMatch(one -> one.job().equals(head.job())));
    lookAhead.placed(
        new Placed(opened, Map.of(), Map.of(), Set.of()), decision.assignments(), snapshot);
    return new Pass(snapshot, decision, plan, calls);
  }

  AttemptRow attempt(String job, String queue, String host) {
    return anAttempt(job).queue(queue).host(host).cpuSlots(1).placed(now, now + 10_000).row();
  }

  /** Its host says that it has begun. */
  void begins(String job) {
    open.replaceAll(
        one ->
            one.job().equals(job) ? one.heard(2, AttemptRow.State.RUNNING, List.of(), now) : one);
  }

  /** Its host says that it is over, or that it gives it back. */
  void ends(String... jobs) {
    open.removeIf(one -> List.of(jobs).contains(one.job()));
  }
}
