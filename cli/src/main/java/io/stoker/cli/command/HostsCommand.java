package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.common.size.ByteSize;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker hosts}. */
@Command(
    name = "hosts",
    description = {"Shows the hosts, what they have, and what is free on them."},
    subcommands = {
      HostEventsCommand.class,
      HostKeyCommands.Rotate.class,
      HostKeyCommands.Revoke.class,
      HostKeyCommands.Print.class
    },
    footerHeading = "%nExamples:%n",
    footer = {"  stoker hosts", "  stoker hosts --json | jq -r 'select(.usable) | .host'"})
public final class HostsCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Option(names = "--json", description = "One host a line.")
  private boolean json;

  @Override
  public Integer call() {
    try (Session session = new Session(data)) {
      Fleet.Heard heard = session.fleet().heard();
      List<JsonNode> hosts = heard.hosts();
      Format wanted = format.format(json);
      if (wanted.print(session.terminal(), hosts, host -> host.path("host").asText())) {
        // Nothing else is wanted of them.
      } else if (hosts.isEmpty() && heard.ignored().isEmpty()) {
        session.terminal().note("no agent has registered yet");
      } else if (!hosts.isEmpty()) {
        Table table =
            new Table(
                    "HOST",
                    "STATE",
                    "GPUS",
                    "FREE",
                    "CPU SLOTS",
                    "FREE",
                    "MEMORY",
                    "PROMISED",
                    "JOBS",
                    "POLICY",
                    "SERVES",
                    "HEARD",
                    "NOTE")
                .lesser("SERVES", "POLICY", "PROMISED", "MEMORY", "HEARD");
        hosts.forEach(host -> table.row(row(host)));
        wanted.print(session.terminal(), table);
      }
      // Beside the hosts: what is ignored is none, and may use the name of one.
      heard
          .ignored()
          .forEach(
              one ->
                  session
                      .terminal()
                      .note(
                          "%s: %s"
                              .formatted(one.path("host").asText(), one.path("reason").asText())));
      return ExitCode.DONE;
    }
  }

  private static Object[] row(JsonNode host) {
    JsonNode resources = host.path("resources");
    return new Object[] {
      host.path("host").asText(),
      state(host),
      resources.path("devices").size(),
      host.path("freeGpus").asText(),
      resources.path("cpuSlots").asText(),
      host.path("freeCpuSlots").asText(),
      resources.has("memory") ? ByteSize.text(resources.get("memory").asLong()) : "",
      promised(host),
      host.path("openAttempts").asText(),
      resources.path("policy").asText(""),
      Serves.text(resources),
      host.has("heartbeatAgeMs") ? heard(host.get("heartbeatAgeMs").asLong()) : "",
      rival(host)
          + unsettled(host)
          + deadline(host)
          + host.path("reason").asText(resources.path("problem").asText(devices(resources)))
    };
  }

  private static String promised(JsonNode host) {
    long bytes = host.path("memoryPromised").asLong();
    return bytes == 0 ? "" : ByteSize.text(bytes);
  }

  /** Another agent of the same name. */
  private static String rival(JsonNode host) {
    JsonNode rival = host.path("rival");
    return rival.isObject()
        ? "its name is asked for by another agent, %s, too; "
            .formatted(rival.path("machine").asText(rival.path("journal").asText()))
        : "";
  }

  /** What it is waited for, since the database was restored. */
  private static String unsettled(JsonNode host) {
    return host.has("unsettled") ? "it " + host.path("unsettled").asText() + "; " : "";
  }

  /** When what still runs is moved. */
  private static String deadline(JsonNode host) {
    JsonNode drain = host.path("drain");
    return drain.path("empty").asBoolean() || !drain.has("deadline")
        ? ""
        : "until " + drain.path("deadline").asText() + " ";
  }

  /** The devices that are not well. */
  private static String devices(JsonNode resources) {
    StringBuilder bad = new StringBuilder();
    for (JsonNode device : resources.path("devices")) {
      String state = device.path("state").asText("OK");
      if (!state.equals("OK")) {
        bad.append(bad.isEmpty() ? "" : "; ")
            .append(device.path("id").asText())
            .append(' ')
            .append(state)
            .append(": ")
            .append(device.path("reason").asText());
      }
    }
    return bad.toString();
  }

  private static Cell state(JsonNode host) {
    if (host.has("drain")) {
      boolean empty = host.path("drain").path("empty").asBoolean();
      return new Cell(empty ? "DRAINED" : "DRAINING", Style.WAITING);
    }
    if (host.path("cordoned").asBoolean()) {
      return new Cell("CORDONED", Style.WAITING);
    }
    if (host.path("suspect").asBoolean()) {
      return new Cell("SUSPECT", Style.BAD);
    }
    boolean usable = host.path("usable").asBoolean();
    return new Cell(host.path("state").asText(), usable ? Style.GOOD : Style.BAD);
  }

  private static String heard(long millis) {
    return millis < 1_000 ? "now" : millis / 1_000 + " s ago";
  }
}
