package io.stoker.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.security.Macs;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What goes together, and what an end makes needless. */
class ReporterTest {
  private static final String TOKEN = "dG9rZW4=";

  /** A topic of one partition. */
  private interface OneLane extends Outlet {
    @Override
    default int lane(String key) {
      return 0;
    }
  }

  /** A topic of two, of which one has the jobs whose names start alike. */
  private interface TwoLanes extends Outlet {
    @Override
    default int lane(String key) {
      return key.charAt(0);
    }
  }

  private final List<EventsRecord> sent = new CopyOnWriteArrayList<>();
  private final List<AttemptEvent> taken = new CopyOnWriteArrayList<>();
  private final Reporter reporter =
      new Reporter(
          "host",
          (OneLane)
              (key, value) -> {
                sent.add(read(value));
                return CompletableFuture.completedFuture(null);
              },
          Runnable::run,
          taken::addAll);

  private void say(String job, int seq, Type type) {
    say(job, seq, type, null);
  }

  private void say(String job, int seq, Type type, String result) {
    reporter.send(event(job, seq, type, result), TOKEN);
  }

  private static AttemptEvent event(String job, int seq, Type type, String result) {
    JsonNode value = result == null ? null : TextNode.valueOf(result);
    return new AttemptEvent(
        job, 1, seq, type, 1, List.of(), null, null, null, null, null, null, value, null, null);
  }

  private static EventsRecord read(byte[] value) {
    try {
      return Json.read(value, EventsRecord.class);
    } catch (MalformedJson e) {
      throw new AssertionError(e);
    }
  }

  private List<String> types() {
    return sent.stream()
        .flatMap(record -> record.events().stream())
        .map(event -> event.job() + " " + event.type())
        .toList();
  }

  @Test
  void anEndSaysWhatTheStepsBeforeItWould() {
    say("a", 1, Type.ACCEPTED);
    say("b", 1, Type.ACCEPTED);
    say("a", 2, Type.RUNNING);
    say("a", 3, Type.PROGRESS);
    say("a", 4, Type.ENDED);

    reporter.inEpoch(OptionalLong.of(7));

    assertThat(types()).containsExactly("b ACCEPTED", "a PROGRESS", "a ENDED");
    assertThat(sent).hasSize(1);
    assertThat(sent.getFirst().epoch()).isEqualTo(7);
  }

  @Test
  void whatWasSentIsNotTakenBack() {
    reporter.inEpoch(OptionalLong.of(1));
    say("a", 1, Type.ACCEPTED);
    say("b", 1, Type.ENDED);
    say("a", 2, Type.ENDED);
    assertThat(types()).containsExactly("a ACCEPTED", "b ENDED", "a ENDED");
  }

  @Test
  void aStepThatMayWaitIsNeverSentWhereItsEndComesSoonAndElseGoesBeforeWhatFollows() {
    reporter.inEpoch(OptionalLong.of(1));
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
    reporter.inEpoch(OptionalLong.of(1));
    reporter.sendLater(event("a", 1, Type.RUNNING, null), TOKEN);

    await().until(() -> types().equals(List.of("a RUNNING")));
  }

  @Test
  void whoStopsTellsWhatIsHeld() throws InterruptedException {
    reporter.inEpoch(OptionalLong.of(1));
    reporter.sendLater(event("a", 1, Type.ACCEPTED, null), TOKEN);

    assertThat(reporter.awaitIdle(1_000_000_000)).isTrue();

    assertThat(types()).containsExactly("a ACCEPTED");
  }

  @Test
  void everyEventIsSignedWithItsToken() {
    reporter.inEpoch(OptionalLong.of(1));
    say("a", 1, Type.ENDED);
    AttemptEvent event = sent.getFirst().events().getFirst();
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

    reporter.inEpoch(OptionalLong.of(1));

    assertThat(types()).containsExactly("a ACCEPTED", "a RUNNING", "a PROGRESS", "b PROGRESS");
    assertThat(sent.getFirst().events().get(2).seq()).isEqualTo(99_999);
  }

  @Test
  void resultsWaitUpToABoundAndTheOldestGoFirst() {
    String large = "x".repeat(1024 * 1024);
    for (int seq = 1; seq <= 100; seq++) {
      say("a", seq, Type.RESULT, large);
    }
    say("a", 101, Type.ENDED, large);
    assertThat(reporter.backlog()).isLessThanOrEqualTo(Backlog.MOST_RESULTS / large.length() + 1);

    reporter.inEpoch(OptionalLong.of(1));

    List<Integer> seqs =
        sent.stream().flatMap(record -> record.events().stream()).map(AttemptEvent::seq).toList();
    assertThat(seqs).isSorted().hasSizeGreaterThan(10).contains(100, 101).doesNotContain(1, 80);
  }

  @Test
  void aRecordHasEventsOfOneLaneSoThatNoEndOvertakesAResult() {
    List<String> keys = new ArrayList<>();
    Reporter laned =
        new Reporter(
            "host",
            (TwoLanes)
                (key, value) -> {
                  keys.add(key);
                  sent.add(read(value));
                  return CompletableFuture.completedFuture(null);
                },
            Runnable::run,
            taken::addAll);
    laned.send(event("a1", 1, Type.RESULT, "1"), TOKEN);
    laned.send(event("b1", 1, Type.RESULT, "1"), TOKEN);
    laned.send(event("a2", 1, Type.RUNNING, null), TOKEN);
    laned.send(event("b1", 2, Type.ENDED, null), TOKEN);
    laned.send(event("a1", 2, Type.ENDED, null), TOKEN);

    laned.inEpoch(OptionalLong.of(1));

    assertThat(types())
        .containsExactly("a1 RESULT", "a2 RUNNING", "a1 ENDED", "b1 RESULT", "b1 ENDED");
    assertThat(sent).extracting(record -> record.events().size()).containsExactly(3, 2);
    assertThat(keys).containsExactly("a1", "b1");
  }

  @Test
  void itIsSaidWhichResultsTheBrokerHas() {
    List<CompletableFuture<Void>> answers = new ArrayList<>();
    Reporter waiting =
        new Reporter(
            "host",
            (OneLane)
                (key, value) -> {
                  answers.add(new CompletableFuture<>());
                  return answers.getLast();
                },
            task -> {},
            taken::addAll);
    waiting.inEpoch(OptionalLong.of(1));
    waiting.send(event("a", 1, Type.RESULT, "1"), TOKEN);
    waiting.send(event("a", 2, Type.ENDED, null), TOKEN);
    waiting.send(event("b", 1, Type.RESULT, "2"), TOKEN);
    waiting.send(event("b", 2, Type.ENDED, null), TOKEN);
    assertThat(taken).isEmpty();
    answers.get(1).completeExceptionally(new IllegalStateException("no broker"));
    answers.get(0).complete(null);
    assertThat(taken).extracting(event -> event.job() + event.seq()).contains("a1");
    assertThat(taken).allMatch(event -> event.type() == Type.RESULT);
    assertThat(taken).noneMatch(event -> event.job().equals("b"));
  }

  @Test
  void whatCouldNotBeSentGoesFirstWhenItCanUnlessSomethingNewerSaysTheSame() {
    List<CompletableFuture<Void>> answers = new ArrayList<>();
    List<EventsRecord> tried = new CopyOnWriteArrayList<>();
    Reporter failing =
        new Reporter(
            "host",
            (OneLane)
                (key, value) -> {
                  tried.add(read(value));
                  answers.add(new CompletableFuture<>());
                  return answers.getLast();
                },
            Runnable::run,
            taken::addAll);
    // Held back until here, they go in one record however slow this is.
    failing.send(event("a", 1, Type.PROGRESS, null), TOKEN);
    failing.send(event("b", 1, Type.ENDED, null), TOKEN);
    failing.inEpoch(OptionalLong.of(1));
    List.of("c", "d", "e").forEach(job -> failing.send(event(job, 1, Type.ENDED, null), TOKEN));
    failing.send(event("a", 2, Type.PROGRESS, null), TOKEN);
    assertThat(tried).as("as many records as may be under way").hasSize(4);

    answers.get(0).completeExceptionally(new IllegalStateException("no broker"));

    // The pause for what may linger may have ended just now, on another thread.
    await().until(() -> tried.size() == 5);
    assertThat(tried.get(4).events())
        .extracting(event -> event.job() + event.seq())
        .containsExactly("b1", "a2");
  }
}
