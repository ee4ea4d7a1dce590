package io.stoker.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.agent.key.AgentKey;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.security.Macs;
import io.stoker.common.state.FailureCategory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What goes together, and what an end makes needless. */
class ReporterTest {
  private static final String TOKEN = "dG9rZW4=";

  private final HandTimer timer = new HandTimer();
  private final HandBroker broker = HandBroker.willing(key -> 0);
  private final List<AttemptEvent> taken = new ArrayList<>();
  private final Reporter reporter = to(broker);

  private Reporter to(HandBroker other) {
    return new Reporter(new EventsVoice("host", AgentKey.none()), other, timer, taken::addAll);
  }

  private void say(String job, int seq, Type type) {
    say(job, seq, type, null);
  }

  private void say(String job, int seq, Type type, String result) {
    reporter.send(event(job, seq, type, result), TOKEN);
  }

  private static AttemptEvent event(String job, int seq, Type type, String result) {
    JsonNode value = result == null ? null : TextNode.valueOf(result);
    return AttemptEvent.of(job, 1)
        .seq(seq)
        .type(type)
        .at(1)
        .devices(List.of())
        .result(value)
        .build();
  }

  private List<String> types() {
    return types(broker);
  }

  private static List<String> types(HandBroker from) {
    return from.events().stream().map(event -> event.job() + " " + event.type()).toList();
  }

  @Test
  void anEndSaysWhatTheStepsBeforeItWould() {
    say("a", 1, Type.ACCEPTED);
    say("b", 1, Type.ACCEPTED);
    say("a", 2, Type.RUNNING);
    say("a", 3, Type.PROGRESS);
    say("a", 4, Type.ENDED);

    reporter.inEpoch(OptionalLong.of(7), false);

    assertThat(types()).containsExactly("b ACCEPTED", "a PROGRESS", "a ENDED");
    assertThat(broker.records()).hasSize(1);
    assertThat(broker.records().getFirst().epoch()).isEqualTo(7);
  }

  @Test
  void whatWasSentIsNotTakenBack() {
    reporter.inEpoch(OptionalLong.of(1), false);
    say("a", 1, Type.ACCEPTED);
    assertThat(types()).as("it waits for an end").isEmpty();
    timer.pass(5);
    assertThat(types()).containsExactly("a ACCEPTED");
    say("b", 1, Type.ENDED);
    say("a", 2, Type.ENDED);
    assertThat(types()).containsExactly("a ACCEPTED", "b ENDED", "a ENDED");
  }

  @Test
  void aStepThatMayWaitIsNeverSentWhereItsEndComesSoonAndElseGoesBeforeWhatFollows() {
    reporter.inEpoch(OptionalLong.of(1), false);
    reporter.sendLater(event("a", 1, Type.ACCEPTED, null), TOKEN);
    reporter.sendLater(event("a", 2, Type.RUNNING, null), TOKEN);
    reporter.sendLater(event("b", 1, Type.ACCEPTED, null), TOKEN);
    reporter.sendLater(event("b", 2, Type.RUNNING, null), TOKEN);
    assertThat(reporter.backlog()).isEqualTo(2);
    say("a", 3, Type.ENDED);
    say("b", 3, Type.RESULT, "r");
    say("c", 1, Type.ENDED);

    assertThat(types()).containsExactly("a ENDED", "b RUNNING", "b RESULT", "c ENDED");
    assertThat(reporter.backlog()).isZero();
  }

  @Test
  void aStepThatMayWaitIsSentInTheEnd() {
    reporter.inEpoch(OptionalLong.of(1), false);
    reporter.sendLater(event("a", 1, Type.RUNNING, null), TOKEN);

    timer.pass(HeldSteps.RUNNING_MS - 1);
    assertThat(types()).isEmpty();
    timer.pass(1);
    assertThat(types()).containsExactly("a RUNNING");
    assertThat(timer.isIdle()).isTrue();
  }

  @Test
  void whoStopsTellsWhatIsHeld() throws InterruptedException {
    reporter.inEpoch(OptionalLong.of(1), false);
    reporter.sendLater(event("a", 1, Type.ACCEPTED, null), TOKEN);

    assertThat(reporter.awaitIdle(1_000_000_000)).isTrue();

    assertThat(types()).containsExactly("a ACCEPTED");
  }

  @Test
  void everyEventIsSignedWithItsToken() {
    reporter.inEpoch(OptionalLong.of(1), false);
    say("a", 1, Type.ENDED);
    AttemptEvent event = broker.events().getFirst();
    assertThat(Macs.verify(Base64.getDecoder().decode(TOKEN), Json.tree(event))).isTrue();
  }

  @Test
  void howeverLongTheBrokerIsAwayOnlyTheNewestProgressWaits() {
    say("a", 1, Type.ACCEPTED);
    say("a", 2, Type.RUNNING);
    for (int seq = 3; seq < 100_000; seq++) {
      say("a", seq, Type.PROGRESS);
      say("b", seq, Type.PROGRESS);
    }
    assertThat(reporter.backlog()).isEqualTo(4);

    reporter.inEpoch(OptionalLong.of(1), false);

    assertThat(types()).containsExactly("a ACCEPTED", "a RUNNING", "a PROGRESS", "b PROGRESS");
    assertThat(broker.events().get(2).seq()).isEqualTo(99_999);
  }

  @Test
  void howeverOftenItIsSaidWhatHoldsAnAttemptOnlyTheNewestWaits() {
    for (int seq = 1; seq <= 100; seq++) {
      say("a", seq, Type.ACCEPTED);
    }
    say("a", 1, Type.ACCEPTED);
    assertThat(reporter.backlog()).as("also where it is told again").isEqualTo(1);
    say("a", 101, Type.RUNNING);

    reporter.inEpoch(OptionalLong.of(1), false);

    assertThat(broker.events()).extracting(AttemptEvent::seq).containsExactly(100, 101);
  }

  @Test
  void whatCouldNotBeSentGivesWayToWhatIsNewerOfItsKind() {
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    Outlet away =
        (key, value) -> {
          asked.add(new CompletableFuture<>());
          return asked.getLast();
        };
    Reporter cutOff =
        new Reporter(new EventsVoice("host", AgentKey.none()), away, timer, taken::addAll);
    cutOff.inEpoch(OptionalLong.of(1), false);
    for (int seq = 1; seq <= 20; seq++) {
      cutOff.send(event("a", seq, Type.ACCEPTED, null), TOKEN);
      timer.pass(Outlet.RETRY_MS);
      List.copyOf(asked)
          .forEach(one -> one.completeExceptionally(new IllegalStateException("away")));
    }

    assertThat(cutOff.backlog()).isEqualTo(1);
  }

  @Test
  void resultsWaitUpToABoundAndTheOldestGoFirst() {
    String large = "x".repeat(1024 * 1024);
    for (int seq = 1; seq <= 100; seq++) {
      say("a", seq, Type.RESULT, large);
    }
    say("a", 101, Type.ENDED, large);
    assertThat(reporter.backlog()).isLessThanOrEqualTo(Backlog.MOST_RESULTS / large.length() + 1);

    reporter.inEpoch(OptionalLong.of(1), false);

    assertThat(broker.events())
        .extracting(AttemptEvent::seq)
        .isSorted()
        .hasSizeGreaterThan(10)
        .contains(100, 101)
        .doesNotContain(1, 80);
  }

  @Test
  void aRecordHasEventsOfOneLaneSoThatNoEndOvertakesAResult() {
    HandBroker partitions = HandBroker.willing(key -> key.charAt(0));
    Reporter laned = to(partitions);
    laned.send(event("a1", 1, Type.RESULT, "1"), TOKEN);
    laned.send(event("b1", 1, Type.RESULT, "1"), TOKEN);
    laned.send(event("a2", 1, Type.RUNNING, null), TOKEN);
    laned.send(event("b1", 2, Type.ENDED, null), TOKEN);
    laned.send(event("a1", 2, Type.ENDED, null), TOKEN);

    laned.inEpoch(OptionalLong.of(1), false);

    assertThat(types(partitions))
        .containsExactly("a1 RESULT", "a2 RUNNING", "a1 ENDED", "b1 RESULT", "b1 ENDED");
    assertThat(partitions.records())
        .extracting(record -> record.events().size())
        .containsExactly(3, 2);
    assertThat(partitions.keys()).containsExactly("a1", "b1");
  }

  @Test
  void whileOneThreadHandsOverARecordNoOtherHandsOverTheNext() throws Exception {
    CountDownLatch inHand = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<String> order = new CopyOnWriteArrayList<>();
    Outlet slow =
        new Outlet() {
          @Override
          public CompletionStage<Void> send(String key, byte[] value) {
            if (key.equals("first")) {
              inHand.countDown();
              hold(goOn);
            }
            order.add(key);
            return CompletableFuture.completedFuture(null);
          }

          @Override
          public int partition(String key) {
            return 0;
          }
        };
    Reporter shared =
        new Reporter(new EventsVoice("host", AgentKey.none()), slow, timer, taken::addAll);
    shared.inEpoch(OptionalLong.of(1), false);
    Thread one = Thread.ofVirtual().start(() -> shared.send(ended("first"), TOKEN));
    inHand.await();

    shared.send(ended("second"), TOKEN);
    assertThat(order).isEmpty();
    goOn.countDown();
    one.join();

    assertThat(order).containsExactly("first", "second");
  }

  private static void hold(CountDownLatch until) {
    try {
      until.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static AttemptEvent ended(String job) {
    return event(job, 1, Type.ENDED, null);
  }

  @Test
  void anOutletThatThrowsIsTriedAgain() {
    List<String> got = new ArrayList<>();
    Outlet closedAtFirst =
        (key, value) -> {
          if (timer.nowMs() == 0) {
            throw new IllegalStateException("closed");
          }
          got.add(key);
          return CompletableFuture.completedFuture(null);
        };
    Reporter patient =
        new Reporter(new EventsVoice("host", AgentKey.none()), closedAtFirst, timer, taken::addAll);
    patient.inEpoch(OptionalLong.of(1), false);
    patient.send(ended("a"), TOKEN);
    assertThat(patient.backlog()).isEqualTo(1);

    timer.pass(500);

    assertThat(got).containsExactly("a");
    assertThat(patient.backlog()).isZero();
  }

  @Test
  void itIsSaidWhichResultsTheBrokerHas() {
    HandBroker slow = HandBroker.slow();
    Reporter waiting = to(slow);
    waiting.inEpoch(OptionalLong.of(1), false);
    waiting.send(event("a", 1, Type.RESULT, "1"), TOKEN);
    waiting.send(event("a", 2, Type.ENDED, null), TOKEN);
    waiting.send(event("b", 1, Type.RESULT, "2"), TOKEN);
    waiting.send(event("b", 2, Type.ENDED, null), TOKEN);
    assertThat(taken).isEmpty();

    slow.refuse(1);
    slow.take(0);

    assertThat(taken).extracting(event -> event.job() + event.seq()).containsExactly("a1");
  }

  @Test
  void whatCouldNotBeSentGoesFirstWhenItCanUnlessSomethingNewerSaysTheSame() {
    HandBroker slow = HandBroker.slow();
    Reporter failing = to(slow);
    failing.inEpoch(OptionalLong.of(1), false);
    failing.send(event("a", 1, Type.PROGRESS, null), TOKEN);
    failing.send(ended("b"), TOKEN);
    List.of("c", "d", "e", "f").forEach(job -> failing.send(ended(job), TOKEN));
    failing.send(event("a", 2, Type.PROGRESS, null), TOKEN);
    assertThat(slow.records()).as("as many records as may be under way").hasSize(4);

    slow.refuse(0);
    timer.pass(499);
    assertThat(slow.records()).as("it is not tried again at once").hasSize(4);
    timer.pass(1);

    assertThat(slow.records()).hasSize(5);
    assertThat(slow.records().get(4).events())
        .extracting(event -> event.job() + event.seq())
        .containsExactly("b1", "f1", "a2");
  }

  private static AttemptEvent ended(String job, String message, JsonNode result) {
    return AttemptEvent.of(job, 1)
        .seq(2)
        .type(Type.ENDED)
        .at(1)
        .devices(List.of())
        .outcome(result == null ? Outcome.FAILED : Outcome.SUCCEEDED)
        .category(result == null ? FailureCategory.APP : null)
        .message(message)
        .exitCode(0)
        .result(result)
        .build();
  }

  @Test
  void anEndWithHalfACharacterInItIsSentAndHoldsUpNobody() {
    reporter.inEpoch(OptionalLong.of(1), false);
    reporter.send(ended("a", "exit code 1: " + "x".repeat(499) + "\ud83d…", null), TOKEN);
    say("b", 1, Type.ENDED);

    assertThat(types()).containsExactly("a ENDED", "b ENDED");
    assertThat(reporter.backlog()).isZero();
  }

  @Test
  void whatCannotBeSignedIsSentWithoutWhatTheJobGave() throws Exception {
    reporter.inEpoch(OptionalLong.of(1), false);
    reporter.send(ended("a", null, Json.read("[\"\\ud83d\"]")), TOKEN);
    reporter.send(event("b", 1, Type.RESULT, "\ud83d"), TOKEN);
    say("b", 2, Type.ENDED, "fine");

    assertThat(types()).containsExactly("a ENDED", "b RESULT", "b ENDED");
    AttemptEvent end = broker.events().getFirst();
    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.warning()).isEqualTo(Warning.RESULT);
    assertThat(end.message()).startsWith("its result cannot be sent");
    assertThat(end.result()).isNull();
    for (AttemptEvent event : broker.events()) {
      assertThat(Macs.verify(Base64.getDecoder().decode(TOKEN), Json.tree(event)))
          .as("%s", event)
          .isTrue();
    }
  }

  @Test
  void whatATokenCannotSignIsDroppedAndHoldsUpNobody() {
    reporter.inEpoch(OptionalLong.of(1), false);
    reporter.send(ended("a", "why", null), "no base64!");
    say("b", 1, Type.ENDED);

    assertThat(types()).containsExactly("b ENDED");
    assertThat(reporter.backlog()).isZero();
  }

  @Test
  void whatTheBrokerNeverTakesIsSentAloneAndThenWithoutWhatTheJobGave() {
    int most = 2_000;
    Outlet small =
        (key, value) ->
            value.length > most
                ? CompletableFuture.failedFuture(new Outlet.TooLarge("more than " + most))
                : broker.send(key, value);
    Reporter narrow =
        new Reporter(new EventsVoice("host", AgentKey.none()), small, timer, taken::addAll);
    narrow.send(event("a", 1, Type.RESULT, "x"), TOKEN);
    narrow.send(event("b", 1, Type.RESULT, "x".repeat(most)), TOKEN);
    narrow.send(ended("b", null, TextNode.valueOf("x".repeat(most))), TOKEN);
    narrow.inEpoch(OptionalLong.of(1), false);
    timer.pass(10L * Outlet.RETRY_MS);

    assertThat(types()).containsExactly("a RESULT", "b RESULT", "b ENDED");
    assertThat(broker.events().getLast().warning()).isEqualTo(Warning.RESULT);
    assertThat(narrow.backlog()).isZero();
  }

  @Test
  void aRecordOfLongTextsStaysSmallerThanABrokerTakes() {
    for (int i = 0; i < 200; i++) {
      reporter.send(ended("j" + i, "😀".repeat(4_000), null), TOKEN);
    }
    reporter.inEpoch(OptionalLong.of(1), false);

    assertThat(broker.events()).hasSize(200);
    assertThat(broker.records())
        .allSatisfy(record -> assertThat(Json.bytes(record)).hasSizeLessThan(1 << 20));
  }

  @Test
  void aRecordIsSignedAsAWholeWhereTheDispatcherTakesThatAndTheHostHasAKey() throws Exception {
    byte[] key = {1, 2};
    List<byte[]> sent = new ArrayList<>();
    Outlet outlet =
        (to, value) -> {
          sent.add(value);
          return CompletableFuture.completedFuture(null);
        };
    EventsVoice voice = new EventsVoice("host", AgentKey.of(key));
    Reporter keyed = new Reporter(voice, outlet, timer, taken::addAll);
    keyed.inEpoch(OptionalLong.of(3), false);
    keyed.send(event("a", 1, Type.ENDED, null), TOKEN);
    keyed.inEpoch(OptionalLong.of(3), true);
    keyed.send(event("a", 2, Type.RESULT, "r"), TOKEN);
    keyed.send(event("b", 2, Type.RESULT, "unsigned"), "no base64!");
    keyed.send(event("a", 3, Type.ENDED, "r"), TOKEN);

    byte[] token = Base64.getDecoder().decode(TOKEN);
    JsonNode before = Json.read(sent.getFirst());
    assertThat(before.has("mac")).isFalse();
    assertThat(Macs.verify(token, before.path("events").path(0))).isTrue();
    assertThat(sent).hasSize(2);
    JsonNode whole = Json.read(sent.getLast());
    assertThat(Macs.sealed(key, sent.getLast())).isTrue();
    assertThat(whole.path("epoch").asLong()).isEqualTo(3);
    assertThat(whole.path("events")).hasSize(2).allMatch(event -> Macs.proves(token, event));
    assertThat(whole.path("events").path(1).path("result").asText()).isEqualTo("r");
  }

  @Test
  void aHostWithoutAKeySignsEachEventWhateverTheDispatcherTakes() {
    reporter.inEpoch(OptionalLong.of(1), true);
    say("a", 1, Type.ENDED);

    assertThat(broker.records().getFirst().mac()).isNull();
    assertThat(
            Macs.verify(Base64.getDecoder().decode(TOKEN), Json.tree(broker.events().getFirst())))
        .isTrue();
  }

  @Test
  void whatHasNoCanonicalFormIsNotSentInARecordThatIsSignedAsAWholeEither() throws Exception {
    Reporter keyed =
        new Reporter(
            new EventsVoice("host", AgentKey.of(new byte[] {1})), broker, timer, taken::addAll);
    keyed.inEpoch(OptionalLong.of(1), true);
    JsonNode huge = Json.read("1e400");
    keyed.send(
        AttemptEvent.of("a", 1)
            .type(Type.ENDED)
            .at(1)
            .devices(List.of())
            .outcome(AttemptEvent.Outcome.SUCCEEDED)
            .exitCode(0)
            .result(huge)
            .build(),
        TOKEN);

    AttemptEvent sent = broker.events().getFirst();
    assertThat(sent.outcome()).isEqualTo(AttemptEvent.Outcome.FAILED);
    assertThat(sent.result()).isNull();
  }
}
