package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent.Forget;
import io.stoker.common.message.ToAgent.Report;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job's lines become events once, whichever agents read them. */
class LineRulesTest {
  private final DeciderHarness agent = new DeciderHarness(2);

  @BeforeEach
  void running() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
  }

  /** The line that ends there says its position, too. */
  private List<AttemptEvent> result(long until) {
    return sent(agent.to(new Input.Result(key("job", 1), IntNode.valueOf((int) until), until)));
  }

  private List<AttemptEvent> progress(long until) {
    return sent(agent.to(new Input.Progress(key("job", 1), IntNode.valueOf((int) until), until)));
  }

  private void taken(List<AttemptEvent> events) {
    agent.to(
        new Input.ResultsTaken(
            events.stream().map(event -> new Input.EventId(key("job", 1), event.seq())).toList()));
  }

  private List<Effect> die() {
    return agent.restart(2, agent.now + 20_000);
  }

  private void compactAndDie() {
    List<JournalEntry> compact = agent.state.snapshot();
    agent.journal.clear();
    agent.journal.addAll(compact);
    die();
    agent.ready(2);
  }

  @Test
  void whatWasReadBeforeIsTheSameEventOrNone() {
    List<AttemptEvent> first = result(10);
    List<AttemptEvent> second = result(20);
    die();
    agent.ready(2);
    assertThat(result(10)).isEqualTo(first);
    assertThat(result(20)).isEqualTo(second);
    assertThat(result(30))
        .singleElement()
        .satisfies(event -> assertThat(event.seq()).isGreaterThan(second.getFirst().seq()));
  }

  @Test
  void whoSpeaksBeforeItIsKnownToRunIsHeard() {
    agent.tell(1, agent.place("early", 1));
    List<AttemptEvent> said =
        sent(agent.to(new Input.Result(key("early", 1), IntNode.valueOf(1), 10)));
    assertThat(said).extracting(AttemptEvent::type).containsExactly(Type.RESULT);
    AttemptEvent running = sent(agent.started("early", 1)).getFirst();
    assertThat(running.type()).isEqualTo(Type.RUNNING);
    assertThat(running.seq()).isGreaterThan(said.getFirst().seq());
  }

  @Test
  void report_ofWhatSpokeBeforeItsStartAfterARestart_hasANumberOfItsOwn() {
    agent.tell(1, agent.place("early", 1));
    int result =
        sent(agent.to(new Input.Result(key("early", 1), IntNode.valueOf(1), 10))).getFirst().seq();
    agent.started("early", 1);
    die();
    agent.ready(2);
    AttemptEvent running = sent(agent.tell(2, new Report("early", 1))).getFirst();
    assertThat(running.type()).isEqualTo(Type.RUNNING);
    assertThat(running.seq()).isGreaterThan(result);
    assertThat(sent(agent.tell(2, new Report("early", 1)))).containsExactly(running);
  }

  @Test
  void whatTheBrokerHasIsNotToldAgain() {
    taken(result(10));
    List<AttemptEvent> second = result(20);
    die();
    agent.ready(2);
    assertThat(result(10)).isEmpty();
    assertThat(result(20)).isEqualTo(second);
    taken(second);
    compactAndDie();
    assertThat(result(10)).isEmpty();
    assertThat(result(20)).isEmpty();
    assertThat(result(30)).hasSize(1);
  }

  @Test
  void compactionKeepsWhatMayBeLost() {
    taken(result(10));
    List<AttemptEvent> second = result(20);
    List<AttemptEvent> third = result(30);
    compactAndDie();
    assertThat(result(10)).isEmpty();
    assertThat(result(20)).isEqualTo(second);
    assertThat(result(30)).isEqualTo(third);
  }

  @Test
  void progressDoesNotGoBack() {
    progress(10);
    agent.now += 5_000;
    List<AttemptEvent> newest = progress(20);
    assertThat(newest).hasSize(1);
    die();
    agent.ready(2);
    assertThat(progress(10)).isEmpty();
    assertThat(progress(20)).isEqualTo(newest);
    assertThat(progress(30)).hasSize(1);
  }

  @Test
  void whatReadersOfOneAgentReadTwiceIsToldOnce() {
    taken(result(10));
    assertThat(result(10)).isEmpty();
  }

  @Test
  void resultsThatMayBeLostGoBeforeTheEnd() {
    List<AttemptEvent> first = result(10);
    List<AttemptEvent> end = sent(agent.exited("job", 1, 0));
    List<Effect> effects = die();
    assertThat(only(effects, Effect.Retell.class))
        .containsExactly(new Effect.Retell(key("job", 1), "request"));
    assertThat(sent(effects)).isEmpty();
    agent.ready(2);
    List<AttemptEvent> told = new ArrayList<>(result(10));
    assertThat(result(20)).as("never told while it ran").isEmpty();
    told.addAll(sent(agent.to(new Input.Retold(key("job", 1)))));
    assertThat(told).containsExactly(first.getFirst(), end.getFirst());
    assertThat(sent(agent.to(new Input.Retold(key("job", 1))))).isEmpty();
  }

  @Test
  void anEndThatOwesNoResultIsToldAtOnce() {
    taken(result(10));
    agent.exited("job", 1, 0);
    List<JournalEntry> compact = agent.state.snapshot();
    agent.journal.clear();
    agent.journal.addAll(compact);
    List<Effect> effects = die();
    assertThat(sent(effects)).extracting(AttemptEvent::type).containsExactly(Type.ENDED);
    assertThat(only(effects, Effect.Retell.class)).as("its log may be owed").hasSize(1);
    assertThat(sent(agent.to(new Input.Retold(key("job", 1))))).isEmpty();
  }

  @Test
  void whatIsForgottenIsNotRetold() {
    result(10);
    agent.exited("job", 1, 0);
    agent.tell(1, new Forget("job", 1));
    assertThat(only(die(), Effect.Retell.class)).isEmpty();
    assertThat(agent.state.snapshot()).noneMatch(JournalEntry.Told.class::isInstance);
  }
}
