package io.stoker.e2e.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.attempt.Unsendable;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.NeverServed;
import io.stoker.dispatcher.placement.OtherNeeds;
import io.stoker.dispatcher.placement.PlacementMessage;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.placement.Sendable;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.SuspectRules;
import io.stoker.dispatcher.placement.Suspicion;
import io.stoker.dispatcher.placement.Unsatisfiable;
import io.stoker.dispatcher.placement.Verdicts;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Placement passes and their publishing, as PlacementTransaction, PlacementsPublisher, Scheduler.
 */
final class Placements {
  private static final FairShare SHARES =
      new FairShare(new Queues(List.of()), new Decay(Settings.HALF_LIFE));

  private static final Sendable SENDABLE = new Sendable(Settings.SENDS);
  private static final long ALWAYS_LOOK = Long.MAX_VALUE;

  /** Placements up to this, in bytes, are sent from what a pass holds. */
  private static final int PLAIN = 1_000;

  private final World world;
  private final SimDatabase database;
  private final Wire wire;
  private final HostDirectory hosts;
  private final Refusals refusals;
  private final Placing placing;
  private final AgentTeller agents;
  private final Consumer<Ledger> ended;
  private final Preemptions preemptions;
  private final SimLine line;
  private final LeftOut leftOut;
  private final LookAhead lookAhead = new LookAhead();
  private final RunTimes times = new RunTimes();
  private final Isolation<String> jobs;
  private final Isolation<Map.Entry<String, RuntimeException>> inLine;
  private List<Claim> claims = List.of();
  private NeverServed never = NeverServed.NOBODY;
  private final Map<String, Long> looked = new HashMap<>();

  Placements(
      World world,
      SimDatabase database,
      Wire wire,
      HostDirectory hosts,
      Refusals refusals,
      Placing placing,
      AgentTeller agents,
      SetAsides asides,
      CodedEnd ends,
      Consumer<Ledger> ended) {
    jobs =
        asides.isolation(
            "placements",
            job -> job,
            this::publishJobs,
            (job, reason) -> ends.job(job, "placements", reason));
    inLine =
        asides.isolation(
            "line",
            Map.Entry::getKey,
            one -> Uni.createFrom().failure(one.getFirst().getValue()),
            (one, reason) -> ends.job(one.getKey(), "line", reason));
    leftOut = new LeftOut(world::now);
    this.world = world;
    this.database = database;
    this.wire = wire;
    this.hosts = hosts;
    this.refusals = refusals;
    this.placing = placing;
    this.agents = agents;
    this.ended = ended;
    preemptions = new Preemptions(database, wire, hosts);
    line = new SimLine(world);
  }

  /** What a pass did. */
  record Passed(
      Ledger ledger,
      Placed placed,
      boolean given,
      Map<String, Long> epochs,
      Optional<Plan> plan,
      NeverServed.Found found) {
    List<AttemptRow> opened() {
      return placed.opened();
    }
  }

  /** Nothing if the fleet is another's. */
  Uni<Optional<Passed>> pass(OptionalLong epoch) {
    if (epoch.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    return database.once(
        wire.life(),
        tx -> tx.lockFleet(epoch.getAsLong()) ? Optional.of(place(tx)) : Optional.empty());
  }

  private Passed place(SimTransaction tx) {
    Snapshot snapshot = shared(fleet(tx), tx);
    snapshot = snapshot.running(lookAhead.expected(guessed(snapshot.heads()), times::expected));
    Decision decision = PlacementPass.decide(snapshot, Settings.RESERVE_AFTER);
    claims = decision.claims().stream().filter(claim -> !claim.isMade()).toList();
    Optional<Plan> plan = preemptions.look(tx, snapshot, decision);
    NeverServed.Found found = never.after(snapshot, decision, Settings.SAY_NEVER_AFTER);
    never = found.next();
    List<Assignment> assignments = decision.assignments();
    List<LookAhead.Call> calls =
        lookAhead.calls(snapshot, decision, tx.allHosts(), tx.allAttempts(), tx.now());
    if (world.has(Defect.PLACE_CALLED_BACK)) {
      List<String> called = calls.stream().map(call -> call.message().job()).toList();
      Ledger back = Loads.jobs(tx, called, true);
      called.forEach(job -> JobEnd.returned(back, back.jobs().get(job), "called back"));
      tx.write(back);
    }
    if (assignments.isEmpty()) {
      Ledger none = new Ledger(tx.now());
      call(calls, none);
      return new Passed(none, Placed.NOTHING, false, Map.of(), plan, found);
    }
    Ledger ledger = Loads.jobs(tx, assignments.stream().map(Assignment::job).toList(), false);
    call(calls, ledger);
    Placed placed = placing.place(ledger, assignments, snapshot::asked);
    lookAhead.placed(placed, assignments, snapshot);
    tx.write(ledger);
    tx.announce(ledger.named());
    boolean given = leaveOut(placed.unreadable().keySet());
    return new Passed(ledger, placed, given, HostRow.epochs(tx.allHosts()), plan, found);
  }

  /**
   * What is known of how long jobs run is anything: what is held has to come to its end whatever
   * was expected of it.
   */
  private List<Head> guessed(List<Head> line) {
    for (Head head : line) {
      String profile = head.memory().ofHost().keys().profile();
      if (profile != null && times.expected(profile).isEmpty() && profile.hashCode() % 4 != 0) {
        times.ran(profile, Math.floorMod(profile.hashCode(), 400));
      }
    }
    return line;
  }

  /** Calls are lost, come twice, or late. */
  private void call(List<LookAhead.Call> calls, Ledger ledger) {
    for (LookAhead.Call call : calls) {
      world.note(wire.life().name(), "calls back " + call);
      int fate = world.rough() ? world.aheadChance.between(0, 9) : 9;
      if (fate > 1) {
        ledger.tell(call.host(), call.message());
      }
      if (fate == 1 || fate == 2) {
        Map<String, List<ToAgent>> again = Map.of(call.host(), List.of(call.message()));
        world.timeline.after(
            world.aheadChance.between(10, 8_000),
            wire.life(),
            () -> agents.tell(again).subscribe().with(done -> {}, world::broken));
      }
    }
  }

  /** Whether room is to be given anew. */
  private boolean leaveOut(Set<String> unreadable) {
    return unreadable.stream().map(leftOut::failed).reduce(false, (some, one) -> some || one);
  }

  /** As Scheduler: what cannot be read is given up in the end. */
  Uni<Void> giveUp(Passed passed) {
    inLine.succeeded(
        passed.opened().stream().map(row -> Map.entry(row.job(), new RuntimeException())).toList());
    return inLine.each(List.copyOf(passed.placed().unreadable().entrySet()));
  }

  private HostRow forgetful(HostRow row) {
    HostRow kept = world.has(Defect.FORGET_CORDONS) ? row.cordon(false, null) : row;
    return world.has(Defect.PLACE_UNSETTLED) ? kept.settled() : kept;
  }

  private Snapshot fleet(SimTransaction tx) {
    Seen seen =
        tx.see(
            tx.tables().hosts.keySet().stream().filter(hosts::alive).collect(Collectors.toSet()));
    List<HostRow> rows = seen.hosts();
    List<AttemptRow> open = counted(tx.allAttempts());
    Snapshot all =
        FleetView.of(
            rows.stream().map(this::forgetful).toList(),
            open,
            line.heads(tx, leftOut.jobs()),
            hosts::alive,
            hosts::lastHeartbeat,
            refusals::hosts);
    Map<String, Suspicion> suspicions =
        world.has(Defect.FORGET_SUSPICIONS)
            ? Map.of()
            : Settings.SUSPECTS.suspicions(seen.launchFailures(), rows, tx.now());
    List<Snapshot.Host> tried = SuspectRules.apply(all.hosts(), suspicions, open);
    return all.of(lookAhead.offering(tried, rows, open, tx.now()));
  }

  private List<AttemptRow> counted(List<AttemptRow> open) {
    return open.stream()
        .filter(row -> row.gpuMemory() == null || !world.has(Defect.FORGET_SHARERS))
        .map(row -> world.has(Defect.FORGET_HOST_MEMORY) ? row.promised(null) : row)
        .toList();
  }

  private Snapshot shared(Snapshot snapshot, SimTransaction tx) {
    Set<String> queues = snapshot.heads().stream().map(Head::queue).collect(Collectors.toSet());
    List<Claim> kept = new ArrayList<>(preemptions.claims(tx));
    Set<String> made = kept.stream().map(Claim::job).collect(Collectors.toSet());
    claims.stream().filter(claim -> !made.contains(claim.job())).forEach(kept::add);
    return snapshot.shared(
        SHARES.standings(List.of(), tx.allAttempts(), queues, tx.now()), kept, tx.now());
  }

  /** Tells those to end who are to make room; nothing if that was not done. */
  Uni<Optional<Ledger>> preempt(OptionalLong epoch, Passed passed) {
    return preemptions.carryOut(epoch, passed.plan());
  }

  /** As Unsatisfied; nothing where there is nothing to say. */
  Uni<Optional<Ledger>> tell(Passed passed) {
    Verdicts verdicts = passed.found().verdicts();
    looked.values().removeIf(before -> world.now() - before >= Settings.LOOK_AGAIN);
    Set<String> toLookAt = new HashSet<>(passed.found().never());
    toLookAt.removeAll(looked.keySet());
    toLookAt.forEach(job -> looked.put(job, world.now()));
    if (toLookAt.isEmpty() && verdicts.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    return database.transaction(
        wire.life(),
        tx -> {
          List<String> shared = tx.sharedAmong(toLookAt);
          Set<String> jobs = new HashSet<>(verdicts.jobs());
          jobs.addAll(shared);
          Ledger ledger = Loads.jobs(tx, jobs, true);
          Set<String> changed =
              world.has(Defect.FORGET_NEEDS)
                  ? Set.of()
                  : OtherNeeds.apply(
                      ledger,
                      passed.found().snapshot(),
                      tx.readSharing(shared).stream()
                          .collect(Collectors.groupingBy(RequestRow::job)));
          Unsatisfiable.apply(ledger, verdicts.without(changed));
          tx.write(ledger);
          return Optional.of(ledger);
        });
  }

  /** Publishes what a pass placed, from what it held, unless results of dependencies are needed. */
  Uni<Void> publish(Passed passed) {
    Map<String, List<ToAgent>> byHost = new LinkedHashMap<>();
    List<String> held = new ArrayList<>();
    List<AttemptRow> others = new ArrayList<>();
    for (AttemptRow attempt : passed.opened()) {
      Place message = passed.placed().messages().get(attempt.key());
      if (message != null && Json.bytes(message).length <= PLAIN) {
        held.add(attempt.job());
        byHost.computeIfAbsent(attempt.host(), host -> new ArrayList<>()).add(message);
      } else {
        others.add(attempt);
      }
    }
    return agents
        .tell(byHost, passed.epochs())
        .invoke(() -> jobs.succeeded(held))
        .chain(() -> publish(others));
  }

  private record Current(
      Map<String, List<ToAgent>> byHost,
      Map<String, Long> epochs,
      Map<AttemptRow, String> unsendable) {}

  /** Publishes what of these is still open and not accepted. */
  Uni<Void> publish(List<AttemptRow> attempts) {
    return jobs.apply(attempts.stream().map(AttemptRow::job).distinct().toList());
  }

  private Uni<Void> publishJobs(List<String> some) {
    return database
        .transaction(wire.life(), tx -> current(tx, some))
        .chain(
            current ->
                agents
                    .tell(current.byHost(), current.epochs())
                    .chain(() -> end(current.unsendable())))
        .onFailure(error -> some.size() == 1 && Fault.ofOther(error) != Fault.OUTAGE)
        .invoke(() -> leftOut.failed(some.getFirst()));
  }

  /** As UnsendablePlacements. */
  private Uni<Void> end(Map<AttemptRow, String> unsendable) {
    Uni<Void> done = Uni.createFrom().voidItem();
    for (Map.Entry<AttemptRow, String> one : unsendable.entrySet()) {
      if (one.getKey().cancelReason() == null) {
        done = done.chain(() -> end(one.getKey(), one.getValue())).invoke(ended).replaceWithVoid();
      }
    }
    return done;
  }

  private Uni<Ledger> end(AttemptRow attempt, String reason) {
    return database.transaction(
        wire.life(),
        tx -> {
          Ledger ledger = Loads.jobs(tx, List.of(attempt.job()), true);
          Unsendable.end(ledger, attempt.key(), reason);
          tx.write(ledger);
          return ledger;
        });
  }

  private static Current current(SimTransaction tx, List<String> jobs) {
    Map<String, List<ToAgent>> byHost = new LinkedHashMap<>();
    Map<AttemptRow, String> unsendable = new LinkedHashMap<>();
    Map<String, HostRow> hosts =
        tx.allHosts().stream().collect(Collectors.toMap(HostRow::id, row -> row));
    for (AttemptRow attempt : tx.attemptsOf(jobs)) {
      JobRow job = tx.tables().jobs.get(attempt.job());
      boolean left = hosts.values().stream().anyMatch(row -> row.left(attempt));
      if (!attempt.accepted() && job.attempt() == attempt.number() && !left) {
        Place message = message(tx, attempt, job);
        HostRow host = hosts.get(attempt.host());
        SENDABLE
            .obstacle(message, ALWAYS_LOOK, host.id(), host.resources())
            .ifPresentOrElse(
                why -> unsendable.put(attempt, why),
                () ->
                    byHost.computeIfAbsent(attempt.host(), name -> new ArrayList<>()).add(message));
      }
    }
    return new Current(byHost, HostRow.epochs(List.copyOf(hosts.values())), unsendable);
  }

  private static Place message(SimTransaction tx, AttemptRow attempt, JobRow job) {
    JobRequest request = StoredRequest.parse(tx.tables().requests.get(job.firstRequest()));
    Map<String, JsonNode> results = new HashMap<>();
    for (RequestRow row : tx.readRequests(request.dependsOn())) {
      JobRow done = row.job() == null ? null : tx.tables().jobs.get(row.job());
      if (done != null && done.result() != null) {
        results.put(row.id(), read(done.result()));
      }
    }
    Map<String, RequestState> ends = new HashMap<>();
    request.dependencies().stream()
        .filter(Dependency::conditional)
        .forEach(one -> ends.put(one.id(), end(tx, one.id())));
    return PlacementMessage.of(attempt, job, request, results, ends, null);
  }

  private static RequestState end(SimTransaction tx, String request) {
    return tx.tables().state(tx.tables().requests.get(request));
  }

  private static JsonNode read(String json) {
    try {
      return Json.read(json);
    } catch (MalformedJson e) {
      throw new SimulationFailure("a stored result is no JSON: " + json, e);
    }
  }
}
