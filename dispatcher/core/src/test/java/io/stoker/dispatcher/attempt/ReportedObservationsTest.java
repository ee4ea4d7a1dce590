package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.model.MemoryRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.AnEvent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What agents see of attempts besides their ends: progress, warnings, and what they took. */
class ReportedObservationsTest extends Reporting {
  @Test
  void progressIsShownWhileItRuns() {
    apply(
        AnEvent.of(attempt, Type.RUNNING).seq(1),
        AnEvent.of(attempt, Type.PROGRESS).seq(2).progress("0.5"));

    assertThat(scene.status("a").progress().doubleValue()).isEqualTo(0.5);
    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED).seq(3));
    assertThat(scene.status("a").progress()).isNull();
  }

  @Test
  void progressThatCannotBeStoredIsLeftOut() {
    apply(AnEvent.of(attempt, Type.PROGRESS).progress("{\"message\":\"\\u0000\"}"));

    assertThat(scene.status("a").progress()).isNull();
    assertThat(scene.attempt("a").seq()).isEqualTo(1);
  }

  @Test
  void aWarningOfItsAgentIsShownAndCounted() {
    report(AnEvent.of(attempt, Type.RUNNING).seq(1));

    UnitOfWork unit = report(AnEvent.of(attempt, Type.PROGRESS).seq(2).message("takes 6 GiB"));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    assertThat(scene.reason("a")).isEqualTo("takes 6 GiB");
    assertThat(unit.warnings())
        .as("an agent that does not say of what warns of memory")
        .containsExactly(Warning.MEMORY);
    assertThat(scene.status("a").code()).isEqualTo(Code.MEMORY_OUTGROWN);
    report(AnEvent.of(attempt, Type.PROGRESS).seq(3).progress("0.5"));
    assertThat(scene.reason("a")).as("it stays while it runs").isEqualTo("takes 6 GiB");
  }

  @ParameterizedTest
  @CsvSource({"MEMORY, MEMORY_OUTGROWN", "GPU_IDLE, GPU_IDLE", "DISK, DISK_EXCEEDED"})
  void aWarningHasACodeUntilItIsOver(Warning warning, Code code) {
    report(AnEvent.of(attempt, Type.RUNNING).seq(1));

    UnitOfWork unit =
        report(AnEvent.of(attempt, Type.PROGRESS).seq(2).message("it is so").warning(warning));

    assertThat(unit.warnings()).containsExactly(warning);
    assertThat(scene.status("a").code()).isEqualTo(code);
    report(AnEvent.of(attempt, Type.PROGRESS).seq(3).message("no more").warning(Warning.OVER));
    assertThat(scene.status("a").code()).isNull();
    assertThat(scene.status("a").reason()).isNull();
  }

  @Test
  void aWarnedAttemptThatFailsLeavesNoWarningBehind() {
    report(AnEvent.of(attempt, Type.RUNNING).seq(1));
    report(AnEvent.of(attempt, Type.PROGRESS).seq(2).message("idle").warning(Warning.GPU_IDLE));

    report(AnEvent.ended(attempt, Outcome.FAILED).seq(3).category(FailureCategory.GPU_OOM));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.status("a").code()).isNull();
  }

  @Test
  void whoeverBreaksARuleOfItsHostFailsWithoutARetry() {
    report(
        AnEvent.ended(attempt, Outcome.FAILED)
            .category(FailureCategory.LIMIT)
            .message("its GPU idled")
            .warning(Warning.GPU_IDLE));

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.LIMIT_EXCEEDED);
    assertThat(scene.reason("a")).contains("its GPU idled");
  }

  @Test
  void thatItRunsMayBeHeardWithItsEnd() {
    scene.store().pass(1_000);
    apply(
        AnEvent.of(attempt, Type.RUNNING).seq(1),
        AnEvent.ended(attempt, Outcome.SUCCEEDED)
            .seq(2)
            .usage(new Usage(300L, null, null, null, null, null, null, null)));

    assertThat(scene.status("a").runtime()).isEqualTo(.3);
  }

  @Test
  void whatAnAttemptTookIsShownUntilTheNextOneIsPlaced() {
    Usage taken = new Usage(61_000L, 48_000L, 1L << 30, 6L << 30, 87, 61_000L, 21_000L, null);
    apply(
        AnEvent.ended(attempt, Outcome.FAILED)
            .category(FailureCategory.GPU_OOM)
            .exitCode(1)
            .usage(taken));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.status("a").usage()).isEqualTo(taken);
    scene.place("a", "h2");
    assertThat(scene.status("a").usage()).isNull();
  }

  @Test
  void thePeakOfAJobOnAGpuIsLearnedUnderItsMeaningAndItsProfile() {
    scene.post(aRequest("gpu").gpus(1));
    JobRow job = scene.job("gpu");
    AttemptRow onGpu = scene.placeOnGpu("gpu", "h1");
    Usage taken = new Usage(1L, 1L, 1L, 3L << 30, 1, 1L, 1L, null);

    UnitOfWork unit =
        scene.transaction(
            open ->
                AttemptReports.apply(
                    open,
                    List.of(AnEvent.ended(onGpu, Outcome.SUCCEEDED).usage(taken).report()),
                    Backoff.NONE));

    assertThat(unit.learned())
        .extracting(MemoryRow::key, MemoryRow::peak)
        .containsExactly(
            tuple("equal " + job.fingerprint(), 3L << 30),
            tuple("like " + job.asked().profile(), 3L << 30),
            tuple("host equal " + job.fingerprint(), 1L),
            tuple("host like 1 GPU(s) command: echo gpu", 1L));
  }

  @Test
  void hostMemoryThatRanOutIsLearnedOfJobsWithoutAGpuToo() {
    Usage taken = new Usage(1L, 1L, 1000L, null);

    UnitOfWork unit =
        report(
            AnEvent.ended(attempt, Outcome.FAILED).category(FailureCategory.HOST_OOM).usage(taken));

    assertThat(unit.learned())
        .extracting(MemoryRow::key, MemoryRow::peak)
        .containsExactly(
            tuple("host equal " + scene.job("a").fingerprint(), 1500L),
            tuple("host like 0 GPU(s) command: echo a", 1500L));
  }

  @ParameterizedTest
  @CsvSource({"SUCCEEDED, 10000, true", "SUCCEEDED, 9999, false", "FAILED, 10000, false"})
  void howLongItRanIsLearnedOfWhatSucceeded_ifThatIsLong(
      Outcome outcome, long ms, boolean learned) {
    Usage taken = new Usage(ms, 1L, null, null);

    UnitOfWork unit = report(AnEvent.ended(attempt, outcome).usage(taken));

    assertThat(unit.learned())
        .extracting(MemoryRow::key, MemoryRow::peak)
        .isEqualTo(learned ? List.of(tuple("time like 0 GPU(s) command: echo a", ms)) : List.of());
  }

  @Test
  void whatCannotBeStartedIsHeldAgainstTheHostAndWhatStartsIsNot() {
    UnitOfWork failed =
        report(AnEvent.ended(attempt, Outcome.FAILED).category(FailureCategory.LAUNCH));

    assertThat(failed.launchFailures())
        .extracting(LaunchFailure::host, LaunchFailure::job)
        .containsExactly(tuple("h1", attempt.job()));
    assertThat(failed.launchedOn()).isEmpty();
    scene.post(aRequest("b"));
    attempt = scene.place("b", "h1");
    assertThat(report(AnEvent.of(attempt, Type.RUNNING).seq(1)).launchedOn()).containsExactly("h1");
    assertThat(report(AnEvent.ended(attempt, Outcome.SUCCEEDED).seq(2)).launchedOn())
        .containsExactly("h1");
    scene.post(aRequest("c"));
    attempt = scene.place("c", "h1");
    UnitOfWork returned = report(AnEvent.ended(attempt, Outcome.RETURNED));
    assertThat(returned.launchedOn()).as("a return says nothing").isEmpty();
    assertThat(returned.launchFailures()).isEmpty();
  }
}
