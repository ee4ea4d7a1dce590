package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Groups;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.status.Awaited;
import io.stoker.cli.status.StatusTail;
import io.stoker.cli.status.Waiting;
import io.stoker.cli.terminal.ProgressLine;
import io.stoker.common.message.RequestStatus;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker wait}. */
@Command(
    name = "wait",
    description = {
      "Waits until requests have ended.",
      "Of a group it waits for those that are known, and for those that arrive while it waits."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all SUCCEEDED",
      "1:one ended otherwise",
      "2:bad usage",
      "3:the stack cannot be reached",
      "4:unknown id, or a group without requests that has not ended",
      "124:time is up"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker wait train-042 && echo trained",
      "  stoker wait --group exp-1 --timeout 2h"
    })
public final class WaitCommand implements Callable<Integer> {
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of requests.")
  private List<String> ids = List.of();

  @Option(names = "--group", paramLabel = "G", description = "All requests of a group.")
  private String group;

  @Option(
      names = "--timeout",
      paramLabel = "D",
      converter = DurationConverter.class,
      description = "Longest wait, such as 60s or 2h. Default: as long as it takes.")
  private Duration timeout;

  @Option(names = "--json", description = "Print each final status, as it ends.")
  private boolean json;

  @Override
  public Integer call() {
    if (ids.isEmpty() == (group == null)) {
      throw CliException.usage("wait needs either ids or --group");
    }
    Awaited awaited = group == null ? Awaited.ids(ids) : Awaited.group(group);
    try (Session session = new Session(data);
        ProgressLine progress = new ProgressLine(session.terminal());
        StatusTail tail = session.statusTail()) {
      Waiting waiting =
          new Waiting(
              tail,
              awaited,
              status -> Ends.tell(session.terminal(), progress, status, json),
              session.whileWaiting(awaited, progress));
      // The tail is open already: whatever changes after these answers is read from it.
      known(session).forEach(waiting::know);
      return waiting.await(Optional.ofNullable(timeout))
          ? awaited.exitCode()
          : timeIsUp(session, progress, awaited);
    }
  }

  private List<RequestStatus> known(Session session) {
    Requests requests = session.requests();
    if (group == null) {
      return ids.stream().map(id -> find(requests, id)).toList();
    }
    List<RequestStatus> found =
        requests.list(Requests.Filter.ofGroup(group)).requests().stream()
            .map(Requests::status)
            .toList();
    if (found.isEmpty() && !hasEnded(session)) {
      throw CliException.unknownId("no request is in a group " + group);
    }
    return found;
  }

  /** A group that was closed without any request has ended. */
  private boolean hasEnded(Session session) {
    return new Groups(session.rest())
        .find(group)
        .filter(found -> found.path("state").asText().equals("ENDED"))
        .isPresent();
  }

  private static RequestStatus find(Requests requests, String id) {
    return requests
        .find(id)
        .orElseThrow(() -> CliException.unknownId("nobody knows a request " + id));
  }

  private int timeIsUp(Session session, ProgressLine progress, Awaited awaited) {
    progress.close();
    session
        .terminal()
        .note(
            "time is up after %s: %s"
                .formatted(
                    timeout.toString().substring(2).toLowerCase(Locale.ROOT), awaited.summary()));
    return ExitCode.TIME_IS_UP;
  }
}
