package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Pools;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker pool}. */
@Command(
    name = "pool",
    description = {
      "Shows pools of warm workers, and tells them what to do.",
      "  list    all pools, the default",
      "  show    one of them",
      "  report  all that is known of it, as JSON",
      "  reset   begins a new session: what it has is CANCELLED, and it serves on",
      "  drain   closes it when it has run all that it has",
      "  close   closes it; --how says what becomes of what it has",
      "  open    opens it again",
      "Without NAME the last four are for all pools of HOST.",
      "OF says whose a pool is: its host's configuration's, or a kind's."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker pool",
      "  stoker pool report gpu-box-7 iris | jq .report.crashes",
      "  stoker pool reset gpu-box-7 iris",
      "  stoker pool close gpu-box-7 iris --how discard",
      "  stoker pool close gpu-box-7 --how abort      all pools of the host"
    })
public final class PoolCommand implements Callable<Integer> {
  /** What can be done. */
  enum Action {
    LIST,
    SHOW,
    REPORT,
    RESET,
    DRAIN,
    CLOSE,
    OPEN
  }

  /** What becomes of the jobs of a pool that is closed. */
  enum How {
    /** It runs all of them. */
    DRAIN,
    /** It runs what it has begun, and gives the rest back. */
    DISCARD,
    /** It gives all back at once. */
    ABORT
  }

  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "ACTION",
      defaultValue = "list",
      description = "What to do. Default: ${DEFAULT-VALUE}.")
  private Action action;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "HOST",
      description = "Name of a host, as stoker pool shows it.")
  private String host;

  @Parameters(index = "2", arity = "0..1", paramLabel = "NAME", description = "The pool.")
  private String name;

  @Option(
      names = "--how",
      paramLabel = "HOW",
      defaultValue = "drain",
      description = {
        "For close: drain runs all that the pool has, discard what it has begun, abort nothing;",
        "the rest goes back to its queue. Default: ${DEFAULT-VALUE}."
      })
  private How how;

  @Option(names = "--json", description = "One pool a line; of what was told {\"pool\"}.")
  private boolean json;

  @Override
  public Integer call() {
    if (action != Action.LIST && (host == null || name == null && shows())) {
      throw CliException.usage(
          (host == null ? "HOST and NAME are" : "NAME is")
              + " missing, expected with "
              + text(action));
    }
    try (Session session = new Session(data)) {
      Pools pools = new Pools(session.rest());
      Terminal terminal = session.terminal();
      switch (action) {
        case LIST -> show(terminal, pools.all());
        case SHOW -> show(terminal, List.of(known(pools)));
        case REPORT -> terminal.out().println(Json.text(known(pools)));
        case RESET, DRAIN, OPEN -> tell(terminal, pools, text(action));
        case CLOSE -> tell(terminal, pools, text(how));
      }
      return ExitCode.DONE;
    }
  }

  private boolean shows() {
    return action == Action.SHOW || action == Action.REPORT;
  }

  private void tell(Terminal terminal, Pools pools, String what) {
    Format wanted = format.format(json);
    for (String one : name == null ? ofHost(pools) : List.of(name)) {
      if (!pools.tell(host, one, what)) {
        throw unknown();
      }
      wanted.printName(terminal, "pool", one);
    }
  }

  private List<String> ofHost(Pools pools) {
    List<String> names =
        pools.all().stream()
            .filter(pool -> pool.path("host").asText().equals(host))
            .map(pool -> pool.path("pool").asText())
            .toList();
    if (names.isEmpty()) {
      throw CliException.unknownId("host %s has no pools: see stoker pool list".formatted(host));
    }
    return names;
  }

  private JsonNode known(Pools pools) {
    return pools.find(host, name).orElseThrow(this::unknown);
  }

  private CliException unknown() {
    return CliException.unknownId(
        "host %s has no pool %s: see stoker pool list".formatted(host, name));
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private void show(Terminal terminal, List<JsonNode> pools) {
    Format wanted = format.format(json);
    if (wanted.print(
        terminal, pools, pool -> pool.path("host").asText() + " " + pool.path("pool").asText())) {
      return;
    }
    if (pools.isEmpty()) {
      terminal.note("no host has a pool of workers");
      return;
    }
    Table table =
        new Table(
            "HOST",
            "POOL",
            "OF",
            "STATE",
            "WORKERS",
            "BUSY",
            "WAITING",
            "HOLDS",
            "PROCESSED",
            "FAILED",
            "CRASHES");
    for (JsonNode pool : pools) {
      JsonNode report = pool.path("report");
      table.row(
          pool.path("host").asText(),
          pool.path("pool").asText(),
          pool.path("kind").isTextual() ? "kind " + pool.path("kind").asText() : "host",
          report.path("state").asText("?"),
          report.path("workers").asText(),
          report.path("busy").asText(),
          report.path("waiting").asText(),
          pool.path("capacity").asText(),
          report.path("processed").asText(),
          report.path("failed").asText(),
          report.path("crashes").asText());
    }
    wanted.print(terminal, table);
  }
}
