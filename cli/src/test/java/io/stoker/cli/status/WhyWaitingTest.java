package io.stoker.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.testing.AStatus;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What somebody is told who waits. */
class WhyWaitingTest {
  private static final long MS = 1_000_000;

  private final List<String> lines = new ArrayList<>();
  private String sentence = "no room";
  private String state = "QUEUED";
  private int asked;
  private long now;
  private Optional<RequestStatus> newest =
      Optional.of(AStatus.of("a", RequestState.QUEUED, 1).build());

  private final WhyWaiting why = new WhyWaiting(this::explain, lines::add, () -> now);

  private Optional<JsonNode> explain(String id) {
    asked++;
    return Optional.ofNullable(sentence)
        .map(text -> Json.tree(Map.of("id", id, "state", state, "sentence", text)));
  }

  private void lookAt(long ms, boolean moved) {
    now = ms * MS;
    why.look(List.of("a"), id -> newest, moved);
  }

  @Test
  void whatStartsAtOnceIsNotTold() {
    lookAt(100, true);
    newest = Optional.of(AStatus.of("a", RequestState.RUNNING, 2).with("host", "h1").build());
    lookAt(600, true);

    assertThat(lines).isEmpty();
    assertThat(asked).isZero();
  }

  @Test
  void theReasonIsToldOnceAndAgainWhenItChanges() {
    lookAt(600, false);
    sentence = "another reason";
    lookAt(700, true);
    assertThat(lines)
        .as("not asked for each status of others")
        .containsExactly("a QUEUED: no room");
    lookAt(1_700, false);
    lookAt(60_000, false);
    newest = Optional.of(AStatus.of("a", RequestState.RUNNING, 2).with("host", "h1").build());
    lookAt(61_000, true);

    assertThat(lines)
        .containsExactly("a QUEUED: no room", "a QUEUED: another reason", "a RUNNING on h1");
  }

  @Test
  void anEndIsNotAWaitThoughTheTopicSaysItLater() {
    state = "FAILED";
    lookAt(600, false);
    newest = Optional.of(AStatus.of("a", RequestState.RUNNING, 2).with("host", "h1").build());
    lookAt(700, true);

    assertThat(lines).isEmpty();
  }

  @Test
  void whatWritesIsNotSaidToHaveStarted() {
    lookAt(600, false);
    why.runs("a", newest);
    lookAt(700, true);
    newest = Optional.of(AStatus.of("a", RequestState.RUNNING, 2).with("host", "h1").build());
    lookAt(800, true);
    assertThat(lines).containsExactly("a QUEUED: no room");

    newest = Optional.of(AStatus.of("a", RequestState.QUEUED, 3).build());
    lookAt(2_000, true);
    assertThat(lines).as("of its next attempt").hasSize(2);
  }

  @Test
  void whatNobodyMovesIsSeldomAskedFor() {
    for (long ms = 600; ms < 10_500; ms += 100) {
      lookAt(ms, false);
    }
    assertThat(asked).isEqualTo(1);
    lookAt(10_700, false);
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void whyAHostHoldsItIsTold() {
    newest =
        Optional.of(
            AStatus.of("a", RequestState.PLACED, 2)
                .with("host", "h1")
                .with("progress", Map.of("stage", "WAITING", "message", "CPU 90 % busy"))
                .build());
    lookAt(600, true);

    assertThat(lines).containsExactly("a PLACED on h1, WAITING: CPU 90 % busy");
  }

  @Test
  void aPostThatNobodyHasTakenUpIsTold() {
    newest = Optional.empty();
    sentence = null;
    lookAt(600, false);

    assertThat(lines).containsExactly("a is posted; no dispatcher has taken it up yet");
  }

  @Test
  void ofManyNothingIsToldAndADispatcherThatIsAwayEndsNothing() {
    now = 600 * MS;
    why.look(List.of("a", "b", "c", "d"), id -> newest, true);
    WhyWaiting away =
        new WhyWaiting(
            id -> {
              throw CliException.unreachable("away");
            },
            lines::add,
            () -> now);
    now = 1_200 * MS;
    away.look(List.of("a"), id -> newest, true);

    assertThat(lines).isEmpty();
  }
}
