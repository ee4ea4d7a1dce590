package io.stoker.dispatcher.scenario;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.CycleCheck;
import io.stoker.common.request.JobRequest;
import io.stoker.common.size.SendLimits;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dependency.FanOut;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.GroupAdmission;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.Intake.Surroundings;
import io.stoker.dispatcher.intake.Meanings;
import io.stoker.dispatcher.intake.QueueLimits;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.Input;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.dispatcher.timer.RetriesDue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Tells a story over the real deciders, one transaction after the other, on {@link MemoryStore}.
 * Fan-outs are worked through after each step, as their task would.
 */
public final class Scene {
  /** Time that a placement may stay unaccepted in scenes, in ms. */
  public static final long ACCEPT_WITHIN = 10_000;

  private final CountedIds ids = new CountedIds();
  private final Intake intake;
  private final Settlement settlement;
  private final Placing placing = new Placing(ids, ACCEPT_WITHIN);
  private final MemoryStore store = new MemoryStore();
  private final List<UnitOfWork.Told> told = new ArrayList<>();
  private final Backoff backoff;
  private int seq;

  /** One in which what failed is tried again at once. */
  public Scene() {
    this(Backoff.NONE);
  }

  public Scene(Backoff backoff) {
    this(backoff, new Queues(List.of()));
  }

  /** One with these queues. */
  public Scene(Queues queues) {
    this(Backoff.NONE, queues);
  }

  private Scene(Backoff backoff, Queues queues) {
    this.backoff = backoff;
    Binding binding = new Binding(ids, queues);
    intake = new Intake(binding);
    settlement = new Settlement(binding, SendLimits.REAL);
  }

  public MemoryStore store() {
    return store;
  }

  /** Posts requests in one batch. */
  public List<Intake.Refusal> post(ARequest... requests) {
    return post(QueueLimits.unlimited(), requests);
  }

  /** Posts requests in one batch, of groups that have a plan. */
  public List<Intake.Refusal> post(GroupAdmission groups, ARequest... requests) {
    return post(QueueLimits.unlimited(), groups, requests);
  }

  /** Posts requests in one batch, to queues whose lines have so much room. */
  public List<Intake.Refusal> post(QueueLimits room, ARequest... requests) {
    return post(room, GroupAdmission.open(), requests);
  }

  private List<Intake.Refusal> post(QueueLimits room, GroupAdmission groups, ARequest... requests) {
    List<JobRequest> batch = Arrays.stream(requests).map(ARequest::build).toList();
    CycleCheck edges = new CycleCheck();
    store.dependencies().forEach(edge -> edges.add(edge.dependent(), List.of(edge.dependsOn())));
    List<Intake.Refusal> refusals = new ArrayList<>();
    transaction(
        unit ->
            refusals.addAll(
                intake.accept(
                    unit,
                    batch,
                    new Surroundings(edges, room, groups, new Meanings(settlement.queues())))));
    return refusals;
  }

  /** Does something in one transaction, and works through what follows from it. */
  public UnitOfWork transaction(Consumer<UnitOfWork> work) {
    UnitOfWork unit = store.open();
    work.accept(unit);
    store.commit(unit);
    told.addAll(unit.told());
    settleAll();
    return unit;
  }

  /** Gives the request's job to a host. */
  public AttemptRow place(String request, String host) {
    JobRow job = job(request);
    transaction(
        unit -> placing.place(unit, List.of(new Assignment(job.id(), host, Takes.of(0, 1)))));
    return attempt(request);
  }

  /** Gives a job what it was assigned. */
  public AttemptRow place(Assignment assignment) {
    transaction(unit -> placing.place(unit, List.of(assignment)));
    return store.open().openAttempt(store.job(assignment.job())).orElseThrow();
  }

  /** Gives the request's job one GPU of a host. */
  public AttemptRow placeOnGpu(String request, String host) {
    JobRow job = job(request);
    transaction(
        unit -> placing.place(unit, List.of(new Assignment(job.id(), host, Takes.of(1, 0)))));
    return attempt(request);
  }

  /** Gives the request's job a slot on each of these hosts at once. */
  public List<AttemptRow> placeGang(String request, String... hosts) {
    JobRow job = job(request);
    List<Assignment> members =
        Stream.of(hosts).map(host -> new Assignment(job.id(), host, Takes.of(0, 1))).toList();
    transaction(unit -> placing.place(unit, members));
    return members(request);
  }

  /** What is open of the request's job, by rank. */
  public List<AttemptRow> members(String request) {
    return store.open().openMembers(job(request));
  }

  /** An agent reports. */
  public AttemptReports.Outcome report(AnEvent event) {
    List<AttemptReports.Outcome> outcomes = new ArrayList<>();
    AttemptReport report = event.seq(++seq).report();
    transaction(unit -> outcomes.add(AttemptReports.apply(unit, List.of(report), backoff)));
    return outcomes.getFirst();
  }

  /** Places the request's job on {@code h1}, which accepts and starts it. */
  public void run(String request) {
    place(request, "h1");
    report(request, AttemptEvent.Type.ACCEPTED, null, null);
    report(request, AttemptEvent.Type.RUNNING, null, null);
  }

  /** Runs the request's job to its success. */
  public void succeed(String request) {
    runUnlessRunning(request);
    report(request, AttemptEvent.Type.ENDED, AttemptEvent.Outcome.SUCCEEDED, null);
  }

  /** Runs the request's job to its success with a result that is text. */
  public void succeedWith(String request, String text) {
    runUnlessRunning(request);
    AttemptRow attempt = attempt(request);
    report(
        AnEvent.of(attempt, AttemptEvent.Type.ENDED)
            .outcome(AttemptEvent.Outcome.SUCCEEDED)
            .result("\"" + text + "\""));
  }

  /** Runs the request's job to a failure of its own. */
  public void fail(String request) {
    runUnlessRunning(request);
    report(request, AttemptEvent.Type.ENDED, AttemptEvent.Outcome.FAILED, FailureCategory.APP);
  }

  private void runUnlessRunning(String request) {
    if (state(request) == RequestState.QUEUED) {
      run(request);
    }
  }

  /** Its agent reports of the request's open attempt. */
  public void report(
      String request,
      AttemptEvent.Type type,
      AttemptEvent.Outcome outcome,
      FailureCategory category) {
    AttemptRow attempt = attempt(request);
    AttemptReport report =
        AnEvent.of(attempt, type).seq(++seq).outcome(outcome).category(category).report();
    transaction(unit -> AttemptReports.apply(unit, List.of(report), backoff));
  }

  /** Puts failed jobs in line whose wait is over. */
  public UnitOfWork retriesDue() {
    long now = store.now();
    return retriesDue(store.backoffs().stream().filter(row -> row.dueAt() <= now).toList());
  }

  /** As {@link #retriesDue()}, of waits that were read some time ago. */
  public UnitOfWork retriesDue(List<BackoffRow> read) {
    return transaction(unit -> RetriesDue.apply(unit, read));
  }

  public UnitOfWork cancel(String request) {
    return transaction(
        unit -> Cancellation.cancel(unit, request, Cancellation.Verdict.cancelled("not needed")));
  }

  public RequestRow request(String id) {
    return store.request(id);
  }

  /** The job that a request is bound to. */
  public JobRow job(String request) {
    return store.job(request(request).job());
  }

  public AttemptRow attempt(String request) {
    return store.open().openAttempt(job(request)).orElseThrow();
  }

  public RequestState state(String request) {
    return store.open().stateOf(request);
  }

  public Code code(String request) {
    return status(request).code();
  }

  public String reason(String request) {
    return status(request).reason();
  }

  /** What the request's status shows to who reads it from the topic. */
  public RequestStatus status(String request) {
    RequestRow row = request(request);
    Optional<JobRow> job = Optional.ofNullable(row.job()).map(store::job);
    RequestStatus status = StatusView.of(row, job, store.now()).orElseThrow();
    try {
      return Json.read(Json.bytes(status), RequestStatus.class);
    } catch (MalformedJson e) {
      throw new AssertionError("nobody can read the status " + status, e);
    }
  }

  /** Whether the request's job is in line. */
  public boolean inLine(String request) {
    return store.ready().containsKey(job(request).id());
  }

  /** What agents were told of a kind, in order. */
  public <M extends ToAgent> List<M> told(Class<M> kind) {
    return told.stream()
        .map(UnitOfWork.Told::message)
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  private void settleAll() {
    while (!store.fanOuts().isEmpty()) {
      FanOutRow next = store.fanOuts().get(0);
      UnitOfWork unit = store.open();
      unit.fanOuts().remove(next.key());
      switch (next.kind()) {
        case DEPENDENTS -> settle(unit, next.key());
        case SHARERS -> sharersEnded(unit, next.subject());
      }
      store.commit(unit);
    }
  }

  private void settle(UnitOfWork unit, FanOutRow.Key key) {
    List<DependencyRow> edges =
        unit.dependencies().all().stream()
            .filter(edge -> edge.dependsOn().equals(key.subject()))
            .toList();
    FanOut.settle(unit, settlement, key, edges, dependents(), Integer.MAX_VALUE);
  }

  /** A sharer that ended with its job ends for its dependents too. */
  private static void sharersEnded(UnitOfWork unit, String job) {
    for (RequestRow row : unit.requests().all()) {
      if (job.equals(row.job()) && row.attached()) {
        unit.publishDue(row.id());
        RequestState state = unit.stateOf(row.id());
        if (row.group() != null && row.ended() == null && !row.cached() && state.terminal()) {
          unit.sharersEnded(row.group(), state, 1);
        }
        if (unit.hasDependents(row.id()) && unit.stateOf(row.id()).terminal()) {
          unit.fanOut(FanOutRow.Kind.DEPENDENTS, row.id());
        }
      }
    }
  }

  private Input input(RequestRow row) {
    JobRow job = row.job() == null ? null : store.job(row.job());
    String result = job == null ? null : job.result().text();
    RequestState end = row.ended() == null && job != null ? job.state().shown() : row.ended();
    return new Input(row.fingerprint(), row.job(), end, result == null ? 0 : result.length());
  }

  private Map<String, Settlement.Dependent> dependents() {
    Map<String, Input> known = new HashMap<>();
    store.requests().forEach(row -> known.put(row.id(), input(row)));
    return FanOut.dependents(FanOut.requests(store.requests()), known);
  }
}
