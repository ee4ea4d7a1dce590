package io.stoker.dispatcher.status;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.scenario.Scene;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StatusViewTest {
  private final Scene scene = new Scene();

  @Test
  void everyChangeRaisesTheVersion() {
    List<Long> versions = new ArrayList<>();
    scene.post(aRequest("x"), aRequest("a").dependsOn("x"));
    versions.add(scene.status("a").version());
    scene.succeed("x");
    versions.add(scene.status("a").version());
    scene.place("a", "h1");
    versions.add(scene.status("a").version());
    scene.report("a", Type.RUNNING, null, null);
    versions.add(scene.status("a").version());
    scene.report("a", Type.ENDED, Outcome.FAILED, FailureCategory.GPU_OOM);
    versions.add(scene.status("a").version());
    scene.run("a");
    versions.add(scene.status("a").version());
    scene.cancel("a");
    versions.add(scene.status("a").version());
    scene.report("a", Type.ENDED, Outcome.CANCELLED, null);
    versions.add(scene.status("a").version());

    assertThat(versions).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void whatItsHostHoldsBehindItsSlotsIsInLineUntilItRuns() {
    scene.post(aRequest("a"));
    RequestStatus inLine = scene.status("a");
    scene.place(new Assignment(scene.job("a").id(), "h1", new Takes.OnSlots(1, null, null), true));
    RequestStatus placed = scene.status("a");
    scene.report("a", Type.ACCEPTED, null, null);
    RequestStatus accepted = scene.status("a");
    scene.report("a", Type.RUNNING, null, null);
    RequestStatus runs = scene.status("a");

    assertThat(inLine.state()).isEqualTo(RequestState.QUEUED);
    assertThat(placed).isEqualTo(inLine);
    assertThat(accepted).isEqualTo(inLine);
    assertThat(runs.state()).isEqualTo(RequestState.RUNNING);
    assertThat(runs.host()).isEqualTo("h1");
    assertThat(runs.attempt()).isEqualTo(1);
  }

  @Test
  void itSaysWhenWhatHappened() {
    long start = scene.store().now();
    scene.post(aRequest("x"), aRequest("a").dependsOn("x"));
    scene.store().pass(1_000);
    assertThat(scene.status("a").queuedAt()).isNull();
    scene.succeed("x");
    scene.store().pass(1_000);
    scene.place("a", "h1");
    assertThat(scene.status("a").startedAt()).isNull();
    scene.report("a", Type.RUNNING, null, null);
    scene.store().pass(1_500);
    assertThat(scene.status("a").runtime()).isNull();
    scene.report("a", Type.ENDED, Outcome.SUCCEEDED, null);
    RequestStatus end = scene.status("a");
    scene.store().pass(5_000);

    assertThat(end.postedAt()).isEqualTo(at(start));
    assertThat(end.queuedAt()).isEqualTo(at(start + 1_000));
    assertThat(end.startedAt()).isEqualTo(at(start + 2_000));
    assertThat(end.endedAt()).isEqualTo(at(start + 3_500)).isEqualTo(end.at());
    assertThat(end.runtime()).isEqualTo(1.5);
    assertThat(scene.status("a")).isEqualTo(end);
  }

  @Test
  void anotherAttemptStartsAtItsOwnTime() {
    scene.post(aRequest("a").retry("app", 1));
    scene.run("a");
    scene.store().pass(1_000);
    scene.report("a", Type.ENDED, Outcome.FAILED, FailureCategory.APP);
    scene.store().pass(1_000);
    scene.run("a");

    assertThat(scene.status("a").startedAt()).isEqualTo(at(scene.store().now()));
  }

  @Test
  void whatAnotherOneDidBeforeOrGoesOnDoingIsNotItsOwnTime() {
    scene.post(aRequest("a").meaning("same"), aRequest("leaves").meaning("same"));
    scene.run("a");
    scene.store().pass(1_000);
    scene.cancel("leaves");
    RequestStatus left = scene.status("leaves");
    scene.store().pass(1_000);
    scene.succeed("a");
    scene.store().pass(1_000);
    scene.post(aRequest("cached").meaning("same"));
    RequestStatus cached = scene.status("cached");
    long answered = scene.store().now();
    scene.store().pass(1_000);

    assertThat(cached.startedAt()).isNull();
    assertThat(cached.runtime()).isNull();
    assertThat(cached.endedAt()).isEqualTo(at(answered)).isEqualTo(cached.postedAt());
    assertThat(scene.status("cached")).isEqualTo(cached);
    assertThat(left.endedAt()).isEqualTo(at(answered - 2_000)).isEqualTo(left.at());
    assertThat(scene.status("leaves")).as("whatever its job does").isEqualTo(left);
  }

  private static String at(long ms) {
    return Moments.text(ms);
  }

  @Test
  void aPlaceholderHasNoStatus() {
    assertThat(StatusView.of(RequestRow.placeholder("a"), Optional.empty(), 1)).isEmpty();
  }

  @Test
  void aRequestThatLeftShowsItsOwnEndNotItsJobs() {
    scene.post(aRequest("a").meaning("same"), aRequest("b").meaning("same"));
    scene.run("a");
    scene.cancel("b");
    long version = scene.status("b").version();

    scene.succeed("a");

    assertThat(scene.status("b").state()).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.status("b").result()).isNull();
    assertThat(scene.status("b").version()).isGreaterThanOrEqualTo(version);
  }

  @Test
  void aCachedAnswerOfASucceededJobIsNoSharedFailure() {
    scene.post(aRequest("a").meaning("same"));
    scene.succeed("a");
    scene.post(aRequest("b").meaning("same"));

    RequestStatus status = scene.status("b");
    assertThat(status.code()).isNull();
    assertThat(status.cached()).isTrue();
    assertThat(status.shared()).isTrue();
  }

  @Test
  void aRefusalHasVersionZero() {
    RequestStatus status = StatusView.rejected("a", null, Code.INVALID_REQUEST, "id: missing", 0);

    assertThat(status.version()).isZero();
    assertThat(status.state()).isEqualTo(RequestState.REJECTED);
    assertThat(status.at()).isEqualTo("1970-01-01T00:00:00.000Z");
  }

  @Test
  void aNamedRequestIsShownFromTheLedgerIfItHoldsEnough() {
    scene.post(aRequest("a"));
    UnitOfWork whole = scene.store().open();
    whole.publishNamed("a");
    UnitOfWork partly = new UnitOfWork(1);
    partly.requests().load(scene.request("a"));
    partly.publishNamed("a");
    partly.publishNamed("elsewhere");

    assertThat(StatusView.named(whole)).extracting(RequestStatus::id).containsExactly("a");
    assertThat(StatusView.namedElsewhere(whole)).isEmpty();
    assertThat(StatusView.named(partly)).isEmpty();
    assertThat(StatusView.namedElsewhere(partly)).containsExactly("a", "elsewhere");
  }

  @Test
  void aResultsNumberIsTheScore() {
    succeedWith(aRequest("a"), "0.75");

    assertThat(scene.status("a").score()).isEqualTo(0.75);
    assertThat(scene.status("a").scores()).isNull();
  }

  @Test
  void aResultsFurtherNumbersCarryTheRequestsLabels() {
    succeedWith(aRequestWithLabels(), "[0.5, 1, 2]");

    assertThat(scene.status("a").score()).isEqualTo(0.5);
    assertThat(scene.status("a").scores()).isEqualTo(Map.of("loss", 1.0, "size", 2.0));
  }

  @Test
  void labelsThatDoNotFitAreLeftOut() {
    succeedWith(aRequest("a").meaning("same"), "[0.5, 1]");
    scene.post(aRequest("b").meaning("same").list("resultLabels", "loss", "size"));

    assertThat(scene.status("b").score()).isEqualTo(0.5);
    assertThat(scene.status("b").scores()).isNull();
  }

  @Test
  void whatIsNoNumberIsNoScore() {
    succeedWith(aRequest("a"), "[0.5, \"x\"]");

    assertThat(scene.status("a").score()).isNull();
    assertThat(scene.status("a").result()).isNotNull();
  }

  @Test
  void anEmptyResultIsNoScore() {
    succeedWith(aRequestWithLabels(), "[]");

    assertThat(scene.status("a").score()).isNull();
  }

  private static ARequest aRequestWithLabels() {
    return aRequest("a").list("resultLabels", "loss", "size");
  }

  private void succeedWith(ARequest request, String result) {
    scene.post(request);
    scene.run("a");
    var report =
        AnEvent.ended(scene.attempt("a"), Outcome.SUCCEEDED).seq(99).result(result).report();
    scene.transaction(unit -> AttemptReports.apply(unit, List.of(report), Backoff.NONE));
  }

  /** Whoever sorts them as texts has them in the order of time. */
  @Test
  void timesAreToTheMillisecondAlsoAtAFullSecond() {
    assertThat(Moments.text(1_700_000_000_000L)).isEqualTo("2023-11-14T22:13:20.000Z");
    assertThat(Moments.text(1_700_000_000_120L)).isEqualTo("2023-11-14T22:13:20.120Z");
    assertThat(Moments.text(0L)).isEqualTo("1970-01-01T00:00:00.000Z");
    assertThat(Moments.text(951_868_799_999L)).isEqualTo("2000-02-29T23:59:59.999Z");
    assertThat(Moments.text(253_402_300_799_999L)).isEqualTo("9999-12-31T23:59:59.999Z");
    assertThat(Moments.text(253_402_300_800_000L)).isEqualTo("+10000-01-01T00:00:00.000Z");
    assertThat(Moments.text(-1L)).isEqualTo("1969-12-31T23:59:59.999Z");
    assertThat(Moments.text(null)).isNull();
  }
}
