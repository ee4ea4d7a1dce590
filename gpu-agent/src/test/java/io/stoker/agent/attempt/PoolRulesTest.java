package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.agent.device.Condition;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.PoolReport;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.PoolStatus;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** How attempts on pools, and what their workers hold, are told to the dispatcher. */
class PoolRulesTest {
  private static PoolSettings pool(int min, int max, int gpus) {
    return new PoolSettings(
        "iris",
        List.of("worker"),
        Map.of("A", "b"),
        Optional.empty(),
        min,
        max,
        2,
        3 * max,
        60_000,
        10_000,
        10_000,
        true,
        gpus,
        OptionalLong.empty(),
        0);
  }

  private static DeciderHarness agent(DeciderHarness agent, PoolSettings pool) {
    agent.pools(pool);
    agent.ready(1);
    return agent;
  }

  private static Place place(DeciderHarness agent, String job) {
    return agent.poolPlace(job, "iris");
  }

  private static AttemptKey worker(List<Effect> effects) {
    Place place = only(effects, Effect.StartWorker.class).getLast().place();
    return new AttemptKey(place.job(), place.attempt());
  }

  private static List<Effect> up(DeciderHarness agent, AttemptKey worker) {
    agent.to(new Input.Started(worker, new RunProcess(7, 5, "boot", 1, agent.now)));
    return agent.to(new Input.WorkerReady(worker));
  }

  @Test
  void aJobIsJournaledGivenToAWorkerAndItsEndTold() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    List<Effect> taken = agent.tell(1, place(agent, "j"));
    assertThat(DeciderHarness.indexOf(taken, Effect.Journal.class))
        .isLessThan(DeciderHarness.indexOf(taken, Effect.StartWorker.class));
    assertThat(sent(taken)).extracting(AttemptEvent::type).containsExactly(Type.ACCEPTED);
    Map<String, String> env = only(taken, Effect.StartWorker.class).getFirst().place().env();
    assertThat(env)
        .containsKeys("STOKER_WORKERS", "STOKER_POOL", "STOKER_SEED")
        .containsEntry("A", "b");

    agent.now += 700;
    List<Effect> given = up(agent, worker(taken));
    agent.now += 30;
    Effect.TellWorker told = only(given, Effect.TellWorker.class).getFirst();
    assertThat(told.line().path("do").asText()).isEqualTo("job");
    assertThat(sent(given)).extracting(AttemptEvent::type).containsExactly(Type.RUNNING);

    List<Effect> ended =
        agent.to(
            new Input.WorkerAnswered(
                worker(taken),
                told.line().path("n").asLong(),
                new Answer.Done(Optional.of(TextNode.valueOf("setosa")))));
    AttemptEvent end = sent(ended).getLast();
    assertThat(end.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(end.result().textValue()).isEqualTo("setosa");
    assertThat(end.usage().waitedMs()).isEqualTo(700);
    assertThat(end.usage().wallMs()).isEqualTo(30);
    assertThat(only(ended, Effect.AwaitDelivery.class)).hasSize(1);
    assertThat(agent.state.pools().reports().getFirst().idle()).isTrue();
  }

  @Test
  void aWorkerMaySpeakBeforeItIsKnownToExist() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    AttemptKey worker = worker(agent.tell(1, place(agent, "j")));
    assertThat(only(agent.to(new Input.WorkerReady(worker)), Effect.TellWorker.class)).isEmpty();
    List<Effect> started =
        agent.to(new Input.Started(worker, new RunProcess(7, 5, "boot", 1, agent.now)));
    assertThat(only(started, Effect.TellWorker.class)).hasSize(1);
  }

  @Test
  void goesBackWhenThePoolIsFullOrUnknown() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    for (int i = 0; i < 3; i++) {
      agent.tell(1, place(agent, "j" + i));
    }
    AttemptEvent full = sent(agent.tell(1, place(agent, "j3"))).getFirst();
    assertThat(full.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(full.message()).contains("3 tasks already");

    DeciderHarness other = new DeciderHarness(1);
    other.ready(1);
    assertThat(sent(other.tell(1, place(other, "j"))).getFirst().outcome())
        .isEqualTo(Outcome.RETURNED);
  }

  @Test
  void aFailureAndACrashReachTheSubmitter() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(1, 1, 0));
    AttemptKey first = worker(startOf(agent));
    up(agent, first);
    agent.tell(1, place(agent, "a"));
    List<Effect> failed = agent.to(new Input.WorkerAnswered(first, 1, new Answer.Failed("no")));
    assertThat(sent(failed).getLast().category()).isEqualTo(FailureCategory.APP);
    assertThat(sent(failed).getLast().message()).isEqualTo("no");

    agent.tell(1, place(agent, "b"));
    List<Effect> crashed = agent.to(new Input.Exited(first, RunEnd.exit(137)));
    assertThat(sent(crashed).getLast().message()).contains("killed by signal 9");
    assertThat(sent(crashed).getLast().category()).isEqualTo(FailureCategory.APP);
    assertThat(worker(crashed)).isNotEqualTo(first);
  }

  private static List<Effect> startOf(DeciderHarness agent) {
    agent.pools(pool(1, 1, 0));
    return agent.to(new Input.Tick());
  }

  @Test
  void aCancelledTimedOutOrResetTaskEndsWhenItsWorkerIsGone() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    AttemptKey worker = worker(agent.tell(1, place(agent, "a")));
    up(agent, worker);
    List<Effect> cancelled = agent.tell(1, new ToAgent.Cancel("a", 1, "enough"));
    assertThat(only(cancelled, Effect.Kill.class)).hasSize(1);
    assertThat(sent(cancelled)).isEmpty();
    AttemptEvent end = sent(agent.to(new Input.Exited(worker, RunEnd.exit(137)))).getLast();
    assertThat(end.outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(end.message()).isEqualTo("enough");

    worker = worker(agent.tell(1, place(agent, "b")));
    up(agent, worker);
    agent.tell(1, new ToAgent.Pool("m", "iris", "reset"));
    List<Effect> reset = agent.to(new Input.Exited(worker, RunEnd.exit(137)));
    assertThat(sent(reset).getLast().outcome()).isEqualTo(Outcome.POOL_RESET);
    assertThat(agent.state.pools().reports().getFirst().session()).isEqualTo(2);
    agent.tell(1, new ToAgent.Pool("m", "iris", "reset"));
    assertThat(agent.state.pools().reports().getFirst().session()).isEqualTo(2);
  }

  @Test
  void theNextAgentRunsWhatWaitedAndReportsWhatRanAsLost() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    AttemptKey worker = worker(agent.tell(1, place(agent, "a"), place(agent, "b")));
    List<Effect> given = up(agent, worker);
    assertThat(DeciderHarness.indexOf(given, Effect.TellWorker.class))
        .as("journaled before it is given")
        .isGreaterThan(
            given.indexOf(
                only(given, Effect.Journal.class).stream()
                    .filter(one -> one.entry() instanceof JournalEntry.Started)
                    .findFirst()
                    .orElseThrow()));

    List<Effect> restarted = agent.restart(1, agent.now + 30_000);

    assertThat(only(restarted, Effect.Adopt.class))
        .extracting(adopt -> adopt.place().job())
        .containsExactly("a");
    List<Effect> lost = agent.to(new Input.Exited(key("a", 1), RunEnd.unseen()));
    AttemptEvent end = sent(lost).getLast();
    assertThat(end.outcome()).isEqualTo(Outcome.LOST);
    assertThat(end.message()).contains("worker");
    assertThat(only(lost, Effect.AwaitDelivery.class)).hasSize(1);

    agent.ready(2);
    worker = key("pool:iris:start-2", 1);
    List<Effect> again = up(agent, worker);
    assertThat(only(again, Effect.TellWorker.class).getFirst().line().path("job").asText())
        .isEqualTo("b");
    agent.to(new Input.WorkerAnswered(worker, 1, new Answer.Done(Optional.empty())));
    PoolReport report = agent.state.pools().reports().getFirst();
    assertThat(report.idle()).isTrue();
    assertThat(report.queued()).isEqualTo(2);
    assertThat(report.failed()).isEqualTo(1);
  }

  @Test
  void countsSessionAndWhatItWasToldOutliveTheAgentAndItsJournalsCompaction() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(1, 1, 0));
    agent.now += 1_000;
    AttemptKey first = worker(agent.to(new Input.Tick()));
    up(agent, first);
    agent.tell(1, place(agent, "a"));
    agent.to(new Input.WorkerAnswered(first, 1, new Answer.Failed("no")));
    agent.tell(1, place(agent, "b"));
    AttemptKey second = worker(agent.to(new Input.Exited(first, RunEnd.exit(137))));
    up(agent, second);
    agent.tell(1, place(agent, "c"));
    agent.tell(1, place(agent, "waits"));
    agent.tell(1, new ToAgent.Cancel("waits", 1, "enough"));
    agent.tell(1, new ToAgent.Pool("r", "iris", "reset"));
    AttemptKey third = worker(agent.to(new Input.Exited(second, RunEnd.exit(137))));
    up(agent, third);
    agent.tell(1, new ToAgent.Pool("d", "iris", "drain"));
    agent.to(new Input.Exited(third, RunEnd.exit(0)));
    PoolReport before = agent.state.pools().reports().getFirst();
    assertThat(before.status()).isEqualTo(PoolStatus.CLOSED);
    assertThat(before.crashes()).isEqualTo(1);
    assertThat(before.queued()).isEqualTo(4);
    assertThat(before.failed()).isEqualTo(2);

    for (int i = 0; i < 2; i++) {
      agent.restart(1, agent.now + 30_000);
      PoolReport after = agent.state.pools().reports().getFirst();
      assertThat(after.status()).isEqualTo(PoolStatus.CLOSED);
      assertThat(after.session()).isEqualTo(2);
      assertThat(after.queued()).isEqualTo(before.queued());
      assertThat(after.processed()).isEqualTo(before.processed());
      assertThat(after.failed()).isEqualTo(before.failed());
      assertThat(after.delivered()).isEqualTo(before.processed());
      assertThat(after.crashes()).isEqualTo(before.crashes());
      List<JournalEntry> compacted = agent.state.snapshot();
      agent.journal.clear();
      agent.journal.addAll(compacted);
    }
    agent.ready(2);
    assertThat(sent(agent.tell(2, place(agent, "d"))).getFirst().outcome())
        .isEqualTo(Outcome.RETURNED);
    agent.tell(2, new ToAgent.Pool("o", "iris", "open"));
    assertThat(sent(agent.tell(2, place(agent, "e"))).getFirst().type()).isEqualTo(Type.ACCEPTED);
  }

  @Test
  void whatWaitedWhenTheLeaseRanOutGoesBackForItNeverRan() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    AttemptKey worker = worker(agent.tell(1, place(agent, "a"), place(agent, "b")));
    up(agent, worker);
    agent.now += 60_000;

    AttemptEvent end = sent(agent.to(new Input.Tick())).getFirst();

    assertThat(end.job()).isEqualTo("b");
    assertThat(end.outcome()).isEqualTo(Outcome.RETURNED);
  }

  @Test
  void floorsOfEndedJobsGoWithTheFirstHeartbeatThatFindsThemExpired() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    AttemptKey worker = worker(agent.tell(1, place(agent, "a")));
    up(agent, worker);
    Place late = place(agent, "a");
    agent.to(new Input.WorkerAnswered(worker, 1, new Answer.Done(Optional.empty())));
    List<Effect> forgotten = agent.tell(1, new ToAgent.Forget("a", 1));
    assertThat(only(forgotten, Effect.RemoveRun.class)).as("it has no folder").isEmpty();
    assertThat(floors(agent)).isEqualTo(1);
    agent.now = late.notAfter() + AgentRules.standard().floorMargin();
    agent.to(new Input.HeartbeatAcked(1, agent.now));
    agent.to(new Input.Tick());
    assertThat(floors(agent)).isEqualTo(1);
    agent.now += 2_000;
    agent.to(new Input.Tick());
    assertThat(floors(agent)).isZero();
    assertThat(sent(agent.tell(1, late))).as("it is late for ever").isEmpty();
  }

  private static long floors(DeciderHarness agent) {
    return agent.state.snapshot().stream().filter(JournalEntry.Floor.class::isInstance).count();
  }

  @Test
  void aLapsedLeaseKillsTheWorkersAndLosesWhatRan() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    AttemptKey worker = worker(agent.tell(1, place(agent, "a")));
    up(agent, worker);
    agent.now += 60_000;
    List<Effect> lapsed = agent.to(new Input.Tick());
    assertThat(only(lapsed, Effect.Kill.class)).extracting(Effect.Kill::key).contains(worker);
    assertThat(sent(agent.to(new Input.Exited(worker, RunEnd.exit(137)))).getLast().outcome())
        .isEqualTo(Outcome.LOST);
    assertThat(agent.state.pools().empty()).isTrue();
  }

  @Test
  void aWarmWorkerKeepsItsGpuUntilSomebodyNeedsIt() {
    DeciderHarness agent = agent(new DeciderHarness(DeciderHarness.gpus("0")), pool(0, 1, 1));
    AttemptKey worker = worker(agent.tell(1, place(agent, "a")));
    assertThat(agent.state.books().holdersOf("0")).hasSize(1);
    assertThat(agent.state.reserved()).isEqualTo(new Reserved(1, 0));
    up(agent, worker);
    agent.to(new Input.WorkerAnswered(worker, 1, new Answer.Done(Optional.empty())));
    assertThat(agent.state.reserved()).isEqualTo(new Reserved(0, 0));
    assertThat(agent.state.books().holdersOf("0")).hasSize(1);

    List<Effect> pressed = agent.tell(1, agent.gpuPlace("g", 1, null, false));

    assertThat(sent(pressed).getFirst().outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(only(pressed, Effect.TellWorker.class).getLast().line().path("do").asText())
        .isEqualTo("stop");
    agent.to(new Input.Exited(worker, RunEnd.exit(0)));
    agent.to(new Input.Cleaned(worker));
    assertThat(agent.state.books().holdersOf("0")).isEmpty();
    assertThat(only(agent.tell(1, agent.gpuPlace("h", 1, null, false)), Effect.Launch.class))
        .hasSize(1);
  }

  @Test
  void aWorkerOnADeviceThatHasFailedIsKilledAndItsJobMayBeTriedElsewhere() {
    DeciderHarness agent = agent(new DeciderHarness(DeciderHarness.gpus("0")), pool(0, 1, 1));
    AttemptKey worker = worker(agent.tell(1, place(agent, "a")));
    up(agent, worker);

    List<Effect> judged =
        agent.to(
            new Input.Judged(Map.of("uuid-0", new Condition(Condition.State.UNHEALTHY, "Xid 79"))));

    assertThat(only(judged, Effect.Kill.class)).extracting(Effect.Kill::key).containsOnly(worker);
    AttemptEvent end = sent(agent.to(new Input.Exited(worker, RunEnd.exit(137)))).getLast();
    assertThat(end.category()).isEqualTo(FailureCategory.DEVICE_FAULT);
    assertThat(end.message()).contains("Xid 79");
  }

  @Test
  void stopsOnlyWhenNoWorkerIsLeft() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    AttemptKey worker = worker(agent.tell(1, place(agent, "a"), place(agent, "b")));
    up(agent, worker);

    List<Effect> stopping = agent.to(new Input.StopAsked(false));

    assertThat(sent(stopping)).hasSize(1);
    assertThat(sent(stopping).getFirst().outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(only(stopping, Effect.Stopped.class)).isEmpty();
    agent.to(new Input.WorkerAnswered(worker, 1, new Answer.Done(Optional.empty())));
    List<Effect> stopped = agent.to(new Input.Exited(worker, RunEnd.exit(0)));
    assertThat(only(stopped, Effect.Stopped.class)).hasSize(1);
  }

  @Test
  void offersAndReportsItsPools() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 2, 0));
    assertThat(offered(agent)).isEqualTo(6);
    assertThat(Offer.pools(agent.state).getFirst().state()).isEqualTo("SERVING");
    List<Effect> closed = agent.tell(1, new ToAgent.Pool("m", "iris", "drain"));
    assertThat(offered(agent)).isZero();
    assertThat(only(closed, Effect.SayInventory.class)).hasSize(1);
  }

  private static int offered(DeciderHarness agent) {
    Now now = new Now(agent.now, 0);
    return Offer.of(agent.state, Map.of(), 0, OptionalLong.empty(), now)
        .pools()
        .getFirst()
        .capacity();
  }
}
