package io.stoker.cli.command;

import io.stoker.cli.input.Reason;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Watched;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker drain}. */
@Command(
    name = "drain",
    description = {
      "Keeps new placements off a host and empties it.",
      "What runs there may end, or is moved to other hosts when --within is over, which counts for no",
      "failure. stoker uncordon lets it work again."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker drain gpu-box-7 --reason 'new driver'",
      "  stoker drain gpu-box-7 --within 10m --wait && ssh gpu-box-7 reboot",
      "  stoker drain edge-3 --dead --reason 'burnt down'"
    })
public final class DrainCommand implements Callable<Integer> {
  private static final long ASK_MILLIS = 1000;

  @Mixin private DataOption data;
  @Mixin private NamedAnswer answer;

  @Parameters(paramLabel = "HOST", description = "Name of a host, as stoker hosts shows it.")
  private String host;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Shown beside the host.")
  private String reason;

  @Option(
      names = "--within",
      paramLabel = "D",
      converter = DurationConverter.class,
      description = "How long what runs may go on, such as 10m. Default: until it ends.")
  private Duration within;

  @Option(
      names = "--dead",
      description = {
        "The machine is off for certain: what was on it is given to other hosts at once, and not"
            + " when",
        "its lease or its longest outage has ended. If it is not off, jobs may run twice."
      })
  private boolean dead;

  @Option(names = "--wait", description = "Return when nothing is on the host any more.")
  private boolean wait;

  @Override
  public Integer call() throws InterruptedException {
    Reason.checked(reason);
    try (Session session = new Session(data)) {
      session.fleet().drain(host, reason, within, dead);
      if (wait) {
        awaitEmpty(session);
      }
      answer.print(session, "host", host);
      return ExitCode.DONE;
    }
  }

  private void awaitEmpty(Session session) throws InterruptedException {
    Watched<Boolean> empty = new Watched<>(() -> empty(session));
    while (!empty.last()) {
      TimeUnit.MILLISECONDS.sleep(ASK_MILLIS);
      empty.again(session.terminal()::note);
    }
  }

  private boolean empty(Session session) {
    return session.fleet().host(host).map(one -> one.at("/drain/empty").asBoolean()).orElse(false);
  }
}
