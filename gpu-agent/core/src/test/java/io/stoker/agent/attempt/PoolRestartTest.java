package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.PoolReport;
import io.stoker.agent.pool.PoolStatus;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What of a pool outlives its agent, and its lease. */
class PoolRestartTest extends PoolScene {
  @Test
  void theNextAgentRunsWhatWaitedAndReportsWhatRanAsLost() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    WorkerKey worker = worker(agent.tell(1, place(agent, "a"), place(agent, "b")));
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
    worker = new WorkerKey("iris", "start-2", 1);
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
  void whatWasKilledBeforeItsAgentEndedEndsAsThatAndIsCounted() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    WorkerKey worker = worker(agent.tell(1, place(agent, "a"), place(agent, "b")));
    up(agent, worker);
    agent.tell(1, new ToAgent.Cancel("a", 1, "enough"));
    agent.restart(1, agent.now + 30_000);

    List<Effect> ended =
        agent.to(new Input.NotStarted(key("a", 1), Input.Cause.REFUSED, "nothing of it is there"));

    assertThat(sent(ended).getLast().outcome()).isEqualTo(Outcome.CANCELLED);
    PoolReport report = agent.state.pools().reports().getFirst();
    assertThat(report.processed()).isEqualTo(1);
    assertThat(report.failed()).isZero();
  }

  @Test
  void countsSessionAndWhatItWasToldOutliveTheAgentAndItsJournalsCompaction() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(1, 1, 0));
    agent.now += 1_000;
    WorkerKey first = worker(agent.to(new Input.Tick()));
    up(agent, first);
    agent.tell(1, place(agent, "a"));
    agent.to(new Input.WorkerAnswered(first, 1, new Answer.Failed("no")));
    agent.tell(1, place(agent, "b"));
    WorkerKey second = worker(agent.to(new Input.Exited(first, RunEnd.exit(137))));
    up(agent, second);
    agent.tell(1, place(agent, "c"));
    agent.tell(1, place(agent, "waits"));
    agent.tell(1, new ToAgent.Cancel("waits", 1, "enough"));
    agent.tell(1, new ToAgent.Pool("r", "iris", "reset"));
    WorkerKey third = worker(agent.to(new Input.Exited(second, RunEnd.exit(137))));
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
    WorkerKey worker = worker(agent.tell(1, place(agent, "a"), place(agent, "b")));
    up(agent, worker);
    agent.now += 60_000;

    AttemptEvent end = sent(agent.to(new Input.Tick())).getFirst();

    assertThat(end.job()).isEqualTo("b");
    assertThat(end.outcome()).isEqualTo(Outcome.RETURNED);
  }

  @Test
  void floorsOfEndedJobsGoWithTheFirstHeartbeatThatFindsThemExpired() {
    DeciderHarness agent = agent(new DeciderHarness(1), pool(0, 1, 0));
    WorkerKey worker = worker(agent.tell(1, place(agent, "a")));
    up(agent, worker);
    Place late = place(agent, "a");
    agent.to(new Input.WorkerAnswered(worker, 1, new Answer.Done(Optional.empty())));
    List<Effect> forgotten = agent.tell(1, new ToAgent.Forget("a", 1));
    assertThat(only(forgotten, Effect.RemoveRun.class)).as("it has no folder").isEmpty();
    assertThat(floors(agent)).isEqualTo(1);
    agent.now = late.notAfter() + AgentRules.standard().times().floorMargin();
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
    WorkerKey worker = worker(agent.tell(1, place(agent, "a")));
    up(agent, worker);
    agent.now += 60_000;
    List<Effect> lapsed = agent.to(new Input.Tick());
    assertThat(only(lapsed, Effect.Kill.class)).extracting(Effect.Kill::key).contains(worker);
    assertThat(sent(agent.to(new Input.Exited(worker, RunEnd.exit(137)))).getLast().outcome())
        .isEqualTo(Outcome.LOST);
    assertThat(agent.state.pools().empty()).isTrue();
  }
}
