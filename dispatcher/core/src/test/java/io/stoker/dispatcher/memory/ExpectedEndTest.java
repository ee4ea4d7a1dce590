package io.stoker.dispatcher.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpectedEndTest {
  /** It has run for a minute. */
  private static RequestStatus status(RequestState state, String progress) throws Exception {
    RequestStatus.Draft draft = new RequestStatus.Draft();
    draft.state = state;
    draft.progress = progress == null ? null : Json.read(progress);
    draft.startedAt = "2026-11-21T10:00:00Z";
    draft.at = "2026-11-21T10:01:00Z";
    return draft.status();
  }

  private static Peaks ran(Integer... seconds) {
    List<Long> ms = Stream.of(seconds).map(s -> 1_000L * s).toList();
    return new Peaks(ms, ms.size());
  }

  @ParameterizedTest
  @CsvSource({
    "RUNNING, 0.25, 2026-11-21T10:04:00Z",
    "RUNNING, 1, ",
    "RUNNING, 0, ",
    "RUNNING, 1e-300, ",
    "RUNNING, -3, ",
    "RUNNING, '\"half\"', ",
    "RUNNING, , ",
    "QUEUED, 0.25, "
  })
  void aShareThatIsDoneTellsWhenAllIs(RequestState state, String progress, String end)
      throws Exception {
    assertThat(
            ExpectedEnd.of(status(state, progress), Peaks.NONE).map(ExpectedEnd::at).orElse(null))
        .isEqualTo(end);
  }

  @Test
  void withoutProgress_othersLikeItTell_asFarAsTheyRanLonger() throws Exception {
    RequestStatus running = status(RequestState.RUNNING, null);
    assertThat(ExpectedEnd.of(running, ran(20, 90, 30, 120, 300)))
        .contains(
            new ExpectedEnd(
                "2026-11-21T10:02:00Z",
                "3 of the last 5 job(s) like it ran longer than it so far,"
                    + " half of those 2 min at most"));
    assertThat(ExpectedEnd.of(running, ran(100)))
        .contains(
            new ExpectedEnd(
                "2026-11-21T10:01:40Z", "half of the last 1 job(s) like it took 100 s at most"));
  }

  @Test
  void whatHasRunLongerThanAllOthersLikeIt_hasNoEndThatCouldBeTold() throws Exception {
    assertThat(ExpectedEnd.of(status(RequestState.RUNNING, null), ran(20, 60)))
        .contains(
            new ExpectedEnd(null, "it has run longer than each of the last 2 job(s) like it"));
  }

  @Test
  void itsOwnProgressSaysMoreThanOthers() throws Exception {
    assertThat(ExpectedEnd.of(status(RequestState.RUNNING, "0.5"), ran(600)).map(ExpectedEnd::at))
        .contains("2026-11-21T10:02:00Z");
    assertThat(ExpectedEnd.of(status(RequestState.PLACED, null), ran(600))).isEmpty();
  }
}
