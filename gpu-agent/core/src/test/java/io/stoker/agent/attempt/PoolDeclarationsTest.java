package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.Inventory;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.PoolReport;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.PoolStatus;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.PoolState;
import io.stoker.common.message.ToAgent.Cancel;
import io.stoker.common.message.ToAgent.Pool;
import io.stoker.common.message.ToAgent.SetPools;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pools that kinds declare: how they come, change, and go. */
class PoolDeclarationsTest {
  private final DeciderHarness agent = new DeciderHarness(1).ready(1);

  private static WorkerPool pool(String name, String command, int min) {
    return new WorkerPool(
        name,
        "flower",
        List.of(command),
        Map.of(),
        null,
        min,
        1,
        2,
        3,
        60_000,
        10_000,
        10_000,
        true,
        0,
        null,
        0,
        null);
  }

  @Test
  void aPoolOfLessThanNoMemoryIsLeftOutAndEndsNoAgent() {
    WorkerPool one = pool("iris", "worker", 1);
    WorkerPool wrong =
        new WorkerPool(
            one.name(),
            one.kind(),
            one.command(),
            one.env(),
            null,
            1,
            1,
            2,
            3,
            one.idleMs(),
            one.startMs(),
            one.closeMs(),
            true,
            1,
            -1L,
            0,
            null);

    List<Effect> effects = declared(1, wrong);

    assertThat(only(effects, Effect.Note.class))
        .anyMatch(note -> note.sentence().contains("gpuMemory: -1"));
    assertThat(only(effects, Effect.StartWorker.class)).isEmpty();
  }

  private List<Effect> declared(long generation, WorkerPool... pools) {
    return agent.tell(1, new SetPools(generation, List.of(pools)));
  }

  private static WorkerKey worker(List<Effect> effects) {
    return only(effects, Effect.StartWorker.class).getLast().key();
  }

  private List<Effect> up(WorkerKey worker) {
    agent.to(new Input.Started(worker, new RunProcess(7, 5, "boot", 1, agent.now)));
    return agent.to(new Input.WorkerReady(worker, 0));
  }

  private List<Effect> done(WorkerKey worker, List<Effect> given) {
    long n = only(given, Effect.TellWorker.class).getLast().line().path("n").asLong();
    return agent.to(new Input.WorkerAnswered(worker, n, new Answer.Done(Optional.empty())));
  }

  private List<Effect> gone(WorkerKey worker) {
    return agent.to(new Input.Exited(worker, RunEnd.exit(0)));
  }

  private PoolState reported() {
    return ResourceOffer.pools(agent.state).getFirst();
  }

  /** Jobs that take no place of the pool of today, as heartbeats tell. */
  private List<String> retiring() {
    return agent.state.held().stream()
        .filter(one -> Boolean.TRUE.equals(one.retiring()))
        .map(HeldAttempt::job)
        .toList();
  }

  private static List<String> told(List<Effect> effects) {
    return only(effects, Effect.TellWorker.class).stream()
        .map(one -> one.line().path("do").asText())
        .toList();
  }

  @Test
  void oneThatAKindDeclaresServesAndIsOfferedAsThatKinds() {
    List<Effect> effects = declared(3, pool("iris", "a", 1));

    assertThat(only(effects, Effect.StartWorker.class)).hasSize(1);
    up(worker(effects));
    assertThat(reported())
        .extracting(PoolState::name, PoolState::state, PoolState::kind, PoolState::draining)
        .containsExactly("iris", "SERVING", "flower", null);
    assertThat(
            ResourceOffer.of(agent.state, Map.of(), 0, OptionalLong.empty(), new Now(agent.now, 0))
                .pools())
        .extracting(one -> one.name() + " " + one.capacity() + " " + one.kind())
        .containsExactly("iris 3 flower");
    assertThat(ResourceOffer.poolsGeneration(agent.state)).isEqualTo(3);
  }

  @Test
  void whatIsToldAgainChangesNothing() {
    WorkerKey worker = worker(declared(3, pool("iris", "a", 1)));
    up(worker);

    List<Effect> again = declared(4, pool("iris", "a", 1));

    assertThat(only(again, Effect.StartWorker.class)).isEmpty();
    assertThat(only(again, Effect.TellWorker.class)).isEmpty();
    assertThat(reported().workers()).isEqualTo(1);
    assertThat(ResourceOffer.poolsGeneration(agent.state)).isEqualTo(4);
  }

  @Test
  void oneThatChangesEndsWhatItHasWhileAnotherTakesTheJobs() {
    declared(3, pool("iris", "a", 0));
    WorkerKey old = worker(agent.tell(1, agent.poolPlace("runs", "iris")));
    List<Effect> running = up(old);
    agent.tell(1, agent.poolPlace("waits", "iris"));

    List<Effect> changed = declared(4, pool("iris", "b", 0));
    WorkerKey fresh = worker(agent.tell(1, agent.poolPlace("new", "iris")));

    assertThat(told(changed)).as("nothing is stopped that works").isEmpty();
    assertThat(fresh.toString()).isNotEqualTo(old.toString());
    assertThat(reported().draining()).isEqualTo(1);
    assertThat(retiring()).containsExactlyInAnyOrder("runs", "waits");
    List<Effect> next = done(old, running);
    assertThat(sent(next).getFirst().outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(only(next, Effect.TellWorker.class).getLast().line().path("job").asText())
        .as("its own queue")
        .isEqualTo("waits");
    List<Effect> given = up(fresh);
    assertThat(only(given, Effect.TellWorker.class).getLast().line().path("job").asText())
        .isEqualTo("new");

    assertThat(retiring()).containsExactly("waits");

    List<Effect> last = done(old, next);
    assertThat(sent(last).getFirst().outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(told(last)).containsExactly("stop");
    assertThat(retiring()).isEmpty();
    gone(old);
    assertThat(reported().draining()).isNull();
    assertThat(sent(done(fresh, given)).getFirst().outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void aJobOfTheOneBeforeCanBeCancelled() {
    declared(3, pool("iris", "a", 0));
    WorkerKey old = worker(agent.tell(1, agent.poolPlace("runs", "iris")));
    up(old);
    declared(4, pool("iris", "b", 0));

    List<Effect> cancelled = agent.tell(1, new Cancel("runs", 1, "by request"));

    assertThat(only(cancelled, Effect.Kill.class)).extracting(Effect.Kill::key).contains(old);
    assertThat(sent(gone(old)).getFirst().outcome()).isEqualTo(Outcome.CANCELLED);
  }

  @Test
  void oneThatNoKindDeclaresAnyMoreGoesWhenItHasEndedWhatItHas() {
    declared(3, pool("iris", "a", 0));
    WorkerKey worker = worker(agent.tell(1, agent.poolPlace("runs", "iris")));
    List<Effect> running = up(worker);

    declared(4);

    assertThat(reported())
        .extracting(PoolState::state, PoolState::capacity)
        .containsExactly("CLOSING", 0);
    assertThat(sent(agent.tell(1, agent.poolPlace("late", "iris"))).getFirst().outcome())
        .isEqualTo(Outcome.RETURNED);
    assertThat(sent(done(worker, running)).getFirst().outcome()).isEqualTo(Outcome.SUCCEEDED);
    gone(worker);
    assertThat(ResourceOffer.pools(agent.state)).isNull();
  }

  @Test
  void theHostsOwnOneGoesBefore() {
    agent.pools(PoolSettings.of("iris", List.of("own"), 0, 2));

    List<Effect> effects = declared(3, pool("iris", "a", 1), pool("other", "b", 0));

    assertThat(only(effects, Effect.StartWorker.class)).isEmpty();
    assertThat(only(effects, Effect.Note.class))
        .anyMatch(note -> note.sentence().contains("stays as this host's configuration has it"));
    assertThat(ResourceOffer.pools(agent.state))
        .extracting(one -> one.name() + " " + one.capacity() + " " + one.kind())
        .containsExactly("iris 6 null", "other 3 flower");
    declared(4);
    assertThat(agent.state.pools().reports()).extracting(PoolReport::name).containsExactly("iris");
  }

  @Test
  void whatIsOlderThanWhatItWasToldIsNotTakenUp() {
    declared(4, pool("iris", "a", 0));

    declared(3);

    assertThat(reported().state()).isEqualTo("SERVING");
    assertThat(ResourceOffer.poolsGeneration(agent.state)).isEqualTo(4);
  }

  @Test
  void inANewEpochWhatIsToldCountsWhateverItsNumber() {
    declared(4, pool("iris", "a", 0));
    agent.restart(1, 0);
    agent.ready(2);

    agent.tell(2, new SetPools(1, List.of(pool("other", "b", 0))));

    assertThat(agent.state.pools().reports()).extracting(PoolReport::name).containsExactly("other");
  }

  @Test
  void whatItWasToldCountsNoMoreOnceItHasOtherDevices() {
    declared(3);

    agent.to(new Input.DevicesFound(DeciderHarness.gpus("0")));
    assertThat(ResourceOffer.poolsGeneration(agent.state)).as("kinds may want a GPU").isNull();
    declared(3, pool("iris", "a", 0));

    assertThat(reported().state()).isEqualTo("SERVING");
    assertThat(ResourceOffer.poolsGeneration(agent.state)).isEqualTo(3);
  }

  @Test
  void oneThatCannotBeLeavesTheOneBefore() {
    declared(3, pool("iris", "a", 0));
    WorkerPool wrong = pool("iris", "a", 5);

    List<Effect> effects = declared(4, wrong);

    assertThat(only(effects, Effect.Note.class))
        .anyMatch(note -> note.sentence().contains("min: 5, expected 0 to max, which is 1"));
    assertThat(reported().state()).isEqualTo("SERVING");
  }

  @Test
  void oneThatWasClosedByPeopleIsOpenOnceItChanges() {
    declared(3, pool("iris", "a", 0));
    agent.tell(1, new Pool("c-1", "iris", "drain"));
    declared(4, pool("iris", "a", 0));
    assertThat(reported().state()).as("the same as before").isEqualTo("CLOSED");

    declared(5, pool("iris", "b", 0));
    agent.restart(1, 0);

    assertThat(agent.state.pools().reports().getFirst().status())
        .as("also for the next agent")
        .isEqualTo(PoolStatus.SERVING);
  }

  @Test
  void theNextAgentHasThemBeforeItIsToldAndRunsWhatWaited() {
    declared(3, pool("iris", "a", 0));
    up(worker(agent.tell(1, agent.poolPlace("runs", "iris"))));
    agent.tell(1, agent.poolPlace("waits", "iris"));

    agent.restart(1, agent.now + 30_000);
    agent.to(new Input.Exited(DeciderHarness.key("runs", 1), RunEnd.unseen()));
    assertThat(ResourceOffer.poolsGeneration(agent.state)).as("it is to be told").isNull();
    agent.ready(2);

    List<Effect> given = up(new WorkerKey("iris", "start-2", 1));
    assertThat(only(given, Effect.TellWorker.class).getLast().line().path("job").asText())
        .isEqualTo("waits");
  }

  @Test
  void aCompactedJournalKeepsThem() {
    declared(3, pool("iris", "a", 0));
    List<JournalEntry> kept = agent.state.snapshot();
    agent.journal.clear();
    agent.journal.addAll(kept);

    agent.restart(1, 0);

    assertThat(agent.state.pools().reports()).extracting(PoolReport::name).containsExactly("iris");
  }

  private static final WorkerPool WITH_SECRET =
      new WorkerPool(
          "iris",
          "flower",
          List.of("a"),
          null,
          null,
          0,
          1,
          2,
          3,
          60_000,
          10_000,
          10_000,
          true,
          0,
          null,
          0,
          Map.of("HF_TOKEN", "hf"));

  private static DeciderHarness having(String secret, String... queues) {
    AgentRules rules =
        AgentRules.standard().withSecrets(new SecretQueues(Map.of(secret, Set.of(queues))));
    return new DeciderHarness(Inventory.withoutGpu("a test", 1), rules).ready(1);
  }

  @Test
  void oneWithASecretOfThisHost_doesJobsOfTheQueuesThatItIsFor() {
    DeciderHarness host = having("hf", "default");
    host.tell(1, new SetPools(3, List.of(WITH_SECRET)));

    List<Effect> effects = host.tell(1, host.poolPlace("job", "iris"));

    Program program = only(effects, Effect.StartWorker.class).getLast().process().program();
    assertThat(program.claim().secrets()).containsExactly(Map.entry("HF_TOKEN", "hf"));
  }

  @Test
  void oneWithASecretThatIsForOthers_failsTheJobAndIsNotTold() {
    DeciderHarness host = having("hf", "vault");
    host.tell(1, new SetPools(3, List.of(WITH_SECRET)));

    List<Effect> effects = host.tell(1, host.poolPlace("job", "iris"));

    assertThat(only(effects, Effect.StartWorker.class)).isEmpty();
    AttemptEvent end = sent(effects).getLast();
    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.category()).isEqualTo(FailureCategory.LAUNCH);
    assertThat(end.message())
        .contains("pool iris", "queue default", "stoker.agent.secrets.hf.queues");
    assertThat(host.state.live).isEmpty();
  }

  @Test
  void oneWithASecretThatThisHostHasNot_isLeftOut() {
    DeciderHarness host = having("other", "*");

    host.tell(1, new SetPools(3, List.of(WITH_SECRET)));

    assertThat(host.state.pools().reports()).isEmpty();
  }
}
