package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.testing.AServer;
import io.stoker.cli.testing.AStatus;
import io.stoker.cli.testing.Screen;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunCommandTest {
  private final Screen screen = new Screen();

  @ParameterizedTest
  @CsvSource({"SUCCEEDED,,0,0", "FAILED,APP_FAILURE,7,7"})
  void aJobThatEndedByItself_handsOnItsExitCode(
      RequestState state, String code, int own, int expected) {
    assertThat(exitCode(state, code, own)).isEqualTo(expected);
    assertThat(screen.err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "FAILED,TIMED_OUT,0,125",
    "FAILED,TIMED_OUT,143,143",
    "FAILED,HOST_OUT_OF_MEMORY,137,137",
    "FAILED,RESULT_MISSING,0,125",
    "FAILED,LAUNCH_FAILURE,,125",
    "CANCELLED,CANCELLED,0,125",
    "CANCELLED,EARLY_STOPPED,1,1"
  })
  void aJobThatWasEnded_neverEndsWith0_andItIsSaidWhy(
      RequestState state, String code, Integer own, int expected) {
    assertThat(exitCode(state, code, own)).isEqualTo(expected);
    assertThat(screen.err()).contains("a " + state);
  }

  @Test
  void whatCtrlCCancelled_endsAsShellsHaveIt() {
    RequestStatus end = AStatus.of("a", RequestState.CANCELLED, 9).with("exitCode", 0).build();

    assertThat(RunCommand.exitCode(screen.plain(), end, true)).isEqualTo(Interrupts.EXIT_CODE);
  }

  @Test
  void whereTheCancelCannotBeSent_itIsSaidThatTheJobRunsOn() throws Exception {
    try (AServer server = AServer.answering("/requests/a", 503, "");
        RestClient rest = server.client()) {
      assertThatThrownBy(() -> RunCommand.cancel(new Requests(rest), "a"))
          .isInstanceOfSatisfying(
              CliException.class,
              failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.UNREACHABLE))
          .hasMessageContaining("answered 503")
          .hasMessageContaining("a runs on");
    }
  }

  private int exitCode(RequestState state, String code, Integer own) {
    RequestStatus end = AStatus.of("a", state, 9).with("code", code).with("exitCode", own).build();
    return RunCommand.exitCode(screen.plain(), end, false);
  }
}
