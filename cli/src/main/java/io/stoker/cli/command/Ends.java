package io.stoker.cli.command;

import io.stoker.cli.terminal.ProgressLine;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;

/** Tells people of requests that ended otherwise than they should. */
final class Ends {
  private Ends() {}

  /** Prints the final status, too, where it is wanted as JSON. */
  static void tell(Terminal terminal, ProgressLine progress, RequestStatus status, boolean json) {
    if (json) {
      terminal.out().println(Json.text(status));
      terminal.flush();
    }
    if (status.state() != RequestState.SUCCEEDED) {
      progress.close();
      terminal.note(describe(status));
    }
  }

  /** Such as {@code train-1 FAILED: APP_FAILURE, exit code 3}. */
  static String describe(RequestStatus status) {
    String note = StatusPrinter.note(status);
    return "%s %s%s".formatted(status.id(), status.state(), note.isEmpty() ? "" : ": " + note);
  }
}
