package io.stoker.cli.command;

import io.stoker.cli.ExitCode;
import io.stoker.cli.input.Reason;
import io.stoker.cli.rest.Requests;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker cancel}. */
@Command(
    name = "cancel",
    description = {
      "Asks for the end of requests.",
      "What runs is told to stop, and killed if it does not. Returns at once: stoker wait ID returns",
      "when it has ended, and its status has the reason."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker cancel train-042",
      "  stoker cancel train-042 --reason 'the data was wrong'",
      "  stoker cancel $(stoker list --group exp-1 --state QUEUED --json | jq -r .id)"
    })
public final class CancelCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", arity = "1..*", description = "Ids of requests.")
  private List<String> ids;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why, for whoever asks for their status.")
  private String reason;

  @Override
  public Integer call() {
    Reason.checked(reason);
    int exitCode = ExitCode.DONE;
    try (Session session = new Session(spec, data)) {
      Requests requests = session.requests();
      for (String id : ids) {
        if (requests.cancel(id, reason)) {
          session.terminal().out().println(id);
        } else {
          session.terminal().note("nobody knows a request " + id);
          exitCode = ExitCode.UNKNOWN_ID;
        }
      }
    }
    return exitCode;
  }
}
