package io.stoker.cli.command;

import io.stoker.cli.input.Reason;
import io.stoker.common.json.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
      "  stoker cancel --group exp-1 --state QUEUED"
    })
public final class CancelCommand implements Callable<Integer> {
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of requests.")
  private List<String> ids = List.of();

  @Mixin private Chosen chosen;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why, for whoever asks for their status.")
  private String reason;

  @Option(names = "--json", description = "Print {\"id\"} a line.")
  private boolean json;

  @Override
  public Integer call() {
    Reason.checked(reason);
    try (Session session = new Session(data)) {
      return session.each(
          chosen.ids(session, ids, Chosen.LIVE, "cancel"), id -> cancelled(session, id));
    }
  }

  private boolean cancelled(Session session, String id) {
    boolean known = session.requests().cancel(id, reason);
    if (known) {
      session.terminal().out().println(json ? Json.text(Map.of("id", id)) : id);
    }
    return known;
  }
}
