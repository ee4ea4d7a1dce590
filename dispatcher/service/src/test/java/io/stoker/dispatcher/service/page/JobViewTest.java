package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.rest.DetailsView;
import io.stoker.dispatcher.service.rest.DetailsView.Attempt;
import io.stoker.dispatcher.service.rest.DetailsView.Stage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobViewTest {
  private static final String POSTED = "2026-11-21T10:00:00Z";

  private static Attempt attempt(int number, String placed, String ended) {
    return new Attempt(
        number, null, "h", List.of(), Stage.FAILED, placed, null, ended, null, null, 1, null);
  }

  private static JobView view(String request, List<Attempt> attempts) throws Exception {
    RequestStatus status = RequestStatus.rejected("r", null, Code.APP_FAILURE, "why", POSTED);
    return JobView.of(
        new DetailsView(
            status,
            Json.read(request),
            POSTED,
            List.of(),
            List.of(),
            null,
            null,
            attempts,
            null,
            null),
        null,
        List.of());
  }

  @Test
  void of_request_tellsWordsSettingsAndVariablesApart() throws Exception {
    JobView view =
        view(
            """
            {"id":"r","command":["sh","-c","echo 'hi'"],"resources":{"gpus":2},"priority":5,
             "env":{"A":"b"}}""",
            List.of());
    assertThat(view.command()).isEqualTo("sh -c 'echo '\\''hi'\\'''");
    assertThat(view.settings()).isEqualTo(Map.of("gpus", "2", "priority", "5"));
    assertThat(view.env()).isEqualTo(Map.of("A", "b"));
  }

  @Test
  void ranks_areThoseOfAGang() throws Exception {
    assertThat(view("{\"resources\":{\"hosts\":3}}", List.of()).ranks()).containsExactly(0, 1, 2);
    for (String one : List.of("{}", "{\"resources\":{\"hosts\":1}}")) {
      assertThat(view(one, List.of()).ranks()).isNull();
    }
  }

  @Test
  void bars_ofAttempts_lieWithinTheTimeThatIsShown() throws Exception {
    JobView view =
        view(
            "{}",
            List.of(
                attempt(1, "2026-11-21T09:59:59Z", "2026-11-21T10:00:01Z"),
                attempt(2, null, null)));
    assertThat(view.bars())
        .allSatisfy(
            bar -> {
              double x = Double.parseDouble(bar.x().replace("%", ""));
              double width = Double.parseDouble(bar.width().replace("%", ""));
              assertThat(x).isBetween(0.0, 99.5);
              assertThat(width).isBetween(0.5, 100.0);
            });
  }

  @Test
  void bars_showTheWaitingForEachAttempt_whichAGangsMembersShare() throws Exception {
    RequestStatus.Draft ended = new RequestStatus.Draft();
    ended.state = RequestState.FAILED;
    ended.endedAt = "2026-11-21T10:02:00Z";
    List<Attempt> attempts =
        List.of(
            attempt(1, "2026-11-21T10:00:20Z", "2026-11-21T10:00:40Z"),
            attempt(2, "2026-11-21T10:01:00Z", null),
            attempt(2, "2026-11-21T10:01:00Z", null));
    DetailsView details =
        new DetailsView(
            ended.status(), null, POSTED, List.of(), List.of(), null, null, attempts, null, null);
    List<JobView.Bar> bars = JobView.of(details, null, List.of()).bars();
    assertThat(bars.get(0).waitX()).isEqualTo("0.00%");
    assertThat(bars.get(0).waitWidth()).isEqualTo(bars.get(0).x());
    for (JobView.Bar second : bars.subList(1, 3)) {
      double end = percents(second.waitX()) + percents(second.waitWidth()) - percents(second.x());
      assertThat(end).isBetween(-0.02, 0.02);
      assertThat(percents(second.waitX()))
          .isCloseTo(percents(bars.get(0).x()) + percents(bars.get(0).width()), offset(0.02));
    }
  }

  private static double percents(String share) {
    return Double.parseDouble(share.replace("%", ""));
  }
}
