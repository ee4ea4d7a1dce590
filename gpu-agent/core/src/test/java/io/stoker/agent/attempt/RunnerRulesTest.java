package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.stoker.common.fixture.APlace;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.HostMessage.RunnerOffer;
import io.stoker.common.message.HostMessage.RunnerState;
import io.stoker.common.message.NodeMachine;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.request.RunnerType;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a host runs beside processes of its own is taken up to its slots, and told. */
class RunnerRulesTest {
  private final DeciderHarness agent = new DeciderHarness(2);

  @BeforeEach
  void serve() {
    agent.state.serve(
        new Service(Set.of(RunnerType.CPU), Map.of("ssh", 2, "passive", 1), List.of("ann")));
    agent.ready(1);
  }

  @Test
  void aTypeThatIsNotServedIsTurnedDownWithThoseThatAre() {
    AttemptEvent end = sent(agent.tell(1, on("aws", "job"))).getFirst();
    assertThat(end.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(end.message())
        .isEqualTo("this host does not serve type aws; it serves cpu, passive, ssh");
  }

  @Test
  void asManyAreTakenAsThereAreSlotsAndAnEndFreesOne() {
    for (String job : List.of("a", "b")) {
      List<Effect> effects = agent.tell(1, on("ssh", job));
      assertThat(sent(effects)).extracting(AttemptEvent::type).containsExactly(Type.ACCEPTED);
      assertThat(only(effects, Effect.Launch.class))
          .singleElement()
          .satisfies(launch -> assertThat(launch.place().workload().runner()).contains("ssh"));
    }
    AttemptEvent refused = sent(agent.tell(1, on("ssh", "c"))).getFirst();
    assertThat(refused.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(refused.message()).isEqualTo("2 of the 2 slots of runner ssh are taken");
    assertThat(sent(agent.tell(1, on("passive", "p"))).getFirst().type()).isEqualTo(Type.ACCEPTED);

    agent.exited("a", 1, 0);

    assertThat(sent(agent.tell(1, on("ssh", "d"))).getFirst().type()).isEqualTo(Type.ACCEPTED);
  }

  @Test
  void moreGpusThanAnyOfItsMachinesHasAreTurnedDown() {
    List<NodeMachine> machines =
        List.of(new NodeMachine(List.of("0"), 80L << 30), new NodeMachine(List.of("0", "1"), null));
    agent.state.serve(agent.state.service.with(Map.of("ssh", machines)));
    AttemptEvent refused = sent(agent.tell(1, onSsh("a", 3))).getFirst();
    assertThat(refused.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(refused.message())
        .isEqualTo("no machine for type ssh has 3 GPU(s); the most that one has is 2");
    assertThat(sent(agent.tell(1, onSsh("b", 2))).getFirst().type()).isEqualTo(Type.ACCEPTED);
    assertThat(
            ResourceOffer.of(agent.state, Map.of(), 0, OptionalLong.empty(), new Now(agent.now, 0))
                .runners())
        .contains(new RunnerOffer("ssh", 2, 2, machines), new RunnerOffer("cpu", 2));
  }

  @Test
  void itTakesNoSlotOfTheHost() {
    agent.tell(1, on("ssh", "a"));
    assertThat(agent.state.ledger().freeCpuSlots()).isEqualTo(2);
  }

  @Test
  void whatIsServedAndFreeIsTold() {
    agent.tell(1, on("ssh", "a"), agent.place("b", 1));
    assertThat(ResourceOffer.runners(agent.state))
        .containsExactly(
            new RunnerState("cpu", 2, 1),
            new RunnerState("passive", 1, 1),
            new RunnerState("ssh", 2, 1));

    assertThat(
            ResourceOffer.of(agent.state, Map.of(), 0, OptionalLong.empty(), new Now(agent.now, 0))
                .runners())
        .containsExactly(
            new RunnerOffer("cpu", 2), new RunnerOffer("passive", 1), new RunnerOffer("ssh", 2));
    assertThat(
            ResourceOffer.of(agent.state, Map.of(), 0, OptionalLong.empty(), new Now(agent.now, 0))
                .users())
        .containsExactly("ann");
  }

  @Test
  void whatRunsElsewhereIsNotLookedForAmongThisHostsProcesses() {
    agent.tell(1, on("ssh", "a"), agent.place("b", 1));
    agent.to(
        new Input.Started(
            DeciderHarness.key("a", 1), new RunProcess(0, 0, "boot", 1_000, agent.now)));
    agent.started("b", 1);

    assertThat(agent.state.roots()).containsExactly(Map.entry("b-1", 77L));
    assertThat(agent.state.begun()).containsExactlyInAnyOrder("a-1", "b-1");
    assertThat(agent.state.byRunner()).containsExactly(Map.entry("ssh", 1L));
  }

  @Test
  void whatAPersonSaysEndsThePassiveJobOnce() {
    running("p");
    var finish = new ToAgent.Finish("p", 1, JsonNodeFactory.instance.numberNode(7), null);

    List<AttemptEvent> told = sent(agent.tell(1, finish));
    assertThat(told)
        .singleElement()
        .satisfies(end -> assertThat(end.outcome()).isEqualTo(Outcome.SUCCEEDED))
        .satisfies(end -> assertThat(end.result().intValue()).isEqualTo(7));
    assertThat(sent(agent.tell(1, finish))).isEmpty();
    assertThat(sent(agent.tell(1, on("passive", "q"))).getFirst().type()).isEqualTo(Type.ACCEPTED);
  }

  @Test
  void aPersonMaySayThatItFailed() {
    running("p");
    AttemptEvent end = sent(agent.tell(1, new ToAgent.Finish("p", 1, null, "no time"))).getFirst();
    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.category()).isEqualTo(FailureCategory.APP);
    assertThat(end.message()).isEqualTo("no time");
  }

  @Test
  void anAnswerEndsNothingThatRunsByItself() {
    agent.tell(1, agent.place("b", 1));
    agent.started("b", 1);
    assertThat(sent(agent.tell(1, new ToAgent.Finish("b", 1, null, null)))).isEmpty();
    assertThat(sent(agent.tell(1, new ToAgent.Finish("unknown", 1, null, null)))).isEmpty();
    assertThat(agent.state.liveKeys()).containsExactly(DeciderHarness.key("b", 1));
  }

  @Test
  void anAnswerComesTooLateForWhatWasCancelled() {
    running("p");
    agent.tell(1, new ToAgent.Cancel("p", 1, "not needed"));
    assertThat(sent(agent.tell(1, new ToAgent.Finish("p", 1, null, null)))).isEmpty();
    assertThat(sent(agent.vanished("p", 1)).getFirst().outcome()).isEqualTo(Outcome.CANCELLED);
  }

  private void running(String job) {
    agent.tell(1, on("passive", job));
    agent.to(
        new Input.Started(
            DeciderHarness.key(job, 1), new RunProcess(0, 0, "boot", 1_000, agent.now)));
  }

  /** It takes nothing of the host. */
  private Place onSsh(String job, int nodeGpus) {
    return agent.soon(job).gpus(nodeGpus).on("ssh").build();
  }

  private Place on(String runner, String job) {
    APlace place = agent.soon(job).cpuSlots(0);
    return (runner.equals("passive") ? place.passive() : place.on(runner)).build();
  }
}
