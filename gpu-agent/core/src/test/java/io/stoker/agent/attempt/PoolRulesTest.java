package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.agent.device.Condition;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.staged.Said.What;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** How attempts on pools, and what their workers hold, are told to the dispatcher. */
class PoolRulesTest extends PoolScene {
  @Test
  void aJobIsJournaledGivenToAWorkerAndItsEndTold() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    List<Effect> taken = agent.tell(1, place(agent, "j"));
    assertThat(DeciderHarness.indexOf(taken, Effect.Journal.class))
        .isLessThan(DeciderHarness.indexOf(taken, Effect.StartWorker.class));
    assertThat(sent(taken)).extracting(AttemptEvent::type).containsExactly(Type.ACCEPTED);
    Program worker = only(taken, Effect.StartWorker.class).getFirst().process().program();
    assertThat(worker.claim().secrets()).containsExactly(Map.entry("TOKEN", "hf"));
    assertThat(worker.env())
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
    WorkerKey worker = worker(agent.tell(1, place(agent, "j")));
    assertThat(only(agent.to(new Input.WorkerReady(worker, 0)), Effect.TellWorker.class)).isEmpty();
    List<Effect> started =
        agent.to(new Input.Started(worker, new RunProcess(7, 5, "boot", 1, agent.now)));
    assertThat(only(started, Effect.TellWorker.class)).hasSize(1);
  }

  @Test
  void idleWorkersOfAnotherPoolGiveUpTheGpuThatItsJobsWaitFor() {
    DeciderHarness agent = new DeciderHarness(DeciderHarness.gpus("0"));
    agent.pools(pool("iris", 1, 1, 1), pool("rose", 0, 1, 1));
    agent.ready(1);
    agent.now += 1_000;
    WorkerKey iris = worker(agent.to(new Input.Tick()));
    up(agent, iris);

    List<Effect> refused = agent.tell(1, agent.poolPlace("j", "rose"));

    assertThat(only(refused, Effect.StartWorker.class)).isEmpty();
    Effect.TellWorker told = only(refused, Effect.TellWorker.class).getFirst();
    assertThat(told.key()).isEqualTo(iris);
    assertThat(told.line().path("do").asText()).isEqualTo("stop");
    Effect.Clean cleaned =
        only(agent.to(new Input.Exited(iris, RunEnd.exit(0))), Effect.Clean.class).getFirst();
    agent.to(new Input.Cleaned(cleaned.key()));
    agent.now += 1_000;
    assertThat(worker(agent.to(new Input.Tick())).pool()).isEqualTo("rose");
  }

  @Test
  void idleWorkersGiveUpTheGpuThatAStagedJobWaitsFor() {
    DeciderHarness agent = new DeciderHarness(DeciderHarness.gpus("0"));
    agent.pools(pool(1, 1, 1));
    agent.ready(1);
    agent.free("0");
    agent.to(new Input.HostSampled(StagesScene.ROOM));
    agent.now += 1_000;
    WorkerKey warm = worker(agent.to(new Input.Tick()));
    up(agent, warm);
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.started("a", 1);

    List<Effect> held = agent.said("a", 1, What.DONE);

    Effect.TellWorker told = only(held, Effect.TellWorker.class).getFirst();
    assertThat(told.key()).isEqualTo(warm);
    assertThat(told.line().path("do").asText()).isEqualTo("stop");
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
    WorkerKey first = worker(startOf(agent));
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

  @Test
  void aCancelledTimedOutOrResetTaskEndsWhenItsWorkerIsGone() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    WorkerKey worker = worker(agent.tell(1, place(agent, "a")));
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

  /** An agent whose only worker has had a short job and has three more, two of them ahead. */
  private static WorkerKey threeAhead(DeciderHarness agent) {
    WorkerKey worker = worker(agent.tell(1, place(agent, "warm")));
    agent.to(new Input.Started(worker, new RunProcess(7, 5, "boot", 1, agent.now)));
    agent.to(new Input.WorkerReady(worker, 8));
    agent.to(new Input.WorkerAnswered(worker, 1, new Answer.Done(Optional.empty())));
    agent.to(new Input.Delivered(List.of(new AttemptKey("warm", 1))));
    agent.tell(1, place(agent, "a"));
    agent.tell(1, place(agent, "b").within(1_000L));
    agent.tell(1, place(agent, "c"));
    return worker;
  }

  @Test
  void aJobThatIsToldAheadIsJournaledAsBegunAndRunsFromItsTurnOn() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    WorkerKey worker = threeAhead(agent);
    assertThat(agent.journal)
        .filteredOn(JournalEntry.Started.class::isInstance)
        .extracting(entry -> ((JournalEntry.Started) entry).job())
        .containsExactly("warm", "a", "b", "c");

    agent.now += 900;
    List<Effect> next =
        agent.to(new Input.WorkerAnswered(worker, 2, new Answer.Done(Optional.empty())));
    assertThat(sent(next)).extracting(AttemptEvent::type).containsExactly(Type.RUNNING, Type.ENDED);
    assertThat(sent(next).getFirst().job()).isEqualTo("b");
    agent.now += 40;
    List<Effect> ended =
        agent.to(new Input.WorkerAnswered(worker, 3, new Answer.Done(Optional.empty())));

    AttemptEvent end = sent(ended).getLast();
    assertThat(end.usage().wallMs()).isEqualTo(40);
    assertThat(end.usage().waitedMs()).isEqualTo(900);
  }

  @Test
  void aTimeOutCountsFromTheTurnOfAJobThatWasToldAhead() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    WorkerKey worker = threeAhead(agent);
    agent.now += 5_000;
    assertThat(agent.to(new Input.Tick())).noneMatch(Effect.Kill.class::isInstance);

    agent.to(new Input.WorkerAnswered(worker, 2, new Answer.Done(Optional.empty())));
    agent.now += 1_001;

    assertThat(only(agent.to(new Input.Tick()), Effect.Kill.class)).hasSize(1);
  }

  @Test
  void aCancelledJobThatWasToldAheadIsTakenBackAndItsWorkerGoesOn() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    WorkerKey worker = threeAhead(agent);

    List<Effect> cancelled = agent.tell(1, new ToAgent.Cancel("b", 1, "enough"));

    assertThat(only(cancelled, Effect.Kill.class)).isEmpty();
    assertThat(only(cancelled, Effect.TellWorker.class).getFirst().line().toString())
        .isEqualTo("{\"v\":1,\"n\":3,\"do\":\"withdraw\"}");
    AttemptEvent end =
        sent(agent.to(new Input.WorkerAnswered(worker, 3, new Answer.Withdrawn()))).getLast();
    assertThat(end.outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(end.message()).isEqualTo("enough");
    assertThat(end.startedAt()).isNull();
    assertThat(end.usage()).isNull();
  }

  @Test
  void whatWasToldAheadWaitsAgainWhenItsWorkerIsGoneAndIsLostWithTheAgent() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    WorkerKey first = threeAhead(agent);

    List<Effect> crashed = agent.to(new Input.Exited(first, RunEnd.exit(137)));

    assertThat(sent(crashed)).extracting(AttemptEvent::job).containsExactly("a");
    assertThat(agent.state.live.get(new AttemptKey("b", 1)).phase())
        .isInstanceOf(Phase.Launching.class);
    WorkerKey second = worker(crashed);
    agent.to(new Input.Started(second, new RunProcess(8, 6, "boot", 1, agent.now)));
    agent.to(new Input.WorkerReady(second, 8));

    List<Effect> restarted = agent.restart(1, 0);

    assertThat(only(restarted, Effect.Adopt.class))
        .extracting(adopt -> adopt.place().job())
        .containsExactly("b", "c");
  }

  @Test
  void aWarmWorkerKeepsItsGpuUntilSomebodyNeedsIt() {
    DeciderHarness agent = agent(new DeciderHarness(DeciderHarness.gpus("0")), pool(0, 1, 1));
    WorkerKey worker = worker(agent.tell(1, place(agent, "a")));
    assertThat(agent.state.ledger().holdersOf("0")).hasSize(1);
    assertThat(agent.state.reserved()).isEqualTo(new Reserved(1, 0));
    up(agent, worker);
    agent.to(new Input.WorkerAnswered(worker, 1, new Answer.Done(Optional.empty())));
    assertThat(agent.state.reserved()).isEqualTo(new Reserved(0, 0));
    assertThat(agent.state.ledger().holdersOf("0")).hasSize(1);

    List<Effect> pressed = agent.tell(1, agent.gpuPlace("g", 1, null, false));

    assertThat(sent(pressed).getFirst().outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(only(pressed, Effect.TellWorker.class).getLast().line().path("do").asText())
        .isEqualTo("stop");
    agent.to(new Input.Exited(worker, RunEnd.exit(0)));
    agent.to(new Input.Cleaned(worker));
    assertThat(agent.state.ledger().holdersOf("0")).isEmpty();
    assertThat(only(agent.tell(1, agent.gpuPlace("h", 1, null, false)), Effect.Launch.class))
        .hasSize(1);
  }

  @Test
  void aWorkerOnADeviceThatHasFailedIsKilledAndItsJobMayBeTriedElsewhere() {
    DeciderHarness agent = agent(new DeciderHarness(DeciderHarness.gpus("0")), pool(0, 1, 1));
    WorkerKey worker = worker(agent.tell(1, place(agent, "a")));
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
    WorkerKey worker = worker(agent.tell(1, place(agent, "a"), place(agent, "b")));
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
    assertThat(ResourceOffer.pools(agent.state).getFirst().state()).isEqualTo("SERVING");
    List<Effect> closed = agent.tell(1, new ToAgent.Pool("m", "iris", "drain"));
    assertThat(offered(agent)).isZero();
    assertThat(only(closed, Effect.SayInventory.class)).hasSize(1);
  }

  private static int offered(DeciderHarness agent) {
    Now now = new Now(agent.now, 0);
    return ResourceOffer.of(agent.state, Map.of(), 0, OptionalLong.empty(), now)
        .pools()
        .getFirst()
        .capacity();
  }
}
