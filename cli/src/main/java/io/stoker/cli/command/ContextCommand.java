package io.stoker.cli.command;

import io.stoker.cli.local.Contexts;
import io.stoker.cli.local.Contexts.Context;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker context}. */
@Command(
    name = "context",
    description = {
      "Chooses among the stacks that commands reach.",
      "Each context has the address of a dispatcher, and may have one of Kafka, a token and",
      "certificates. STOKER_URL, STOKER_BOOTSTRAP and --data win over the one in use."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker context add lab --url https://gpu-box:8443 --bootstrap gpu-box:9092",
      "  stoker context use lab",
      "  stoker context list",
      "  stoker context use local      the stack of this machine again",
      "  stoker list --context lab     for one command"
    })
public final class ContextCommand implements Runnable {
  private final Path file = Contexts.file(System.getenv());

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw CliException.usage("context needs a subcommand: list, use, add or remove");
  }

  /** {@code stoker context list}. */
  @Command(
      name = "list",
      description = "Shows them, without their tokens.",
      footerHeading = "%nExamples:%n",
      footer = {"  stoker context list", "  stoker context list --json | jq -r .url"})
  int list(@Option(names = "--json", description = "One a line.") boolean json) {
    Terminal terminal = Terminal.of(spec);
    Contexts kept = Contexts.read(file);
    Table table = new Table("", "NAME", "URL", "KAFKA", "LOGIN");
    new TreeMap<>(kept.contexts())
        .forEach(
            (name, one) -> {
              boolean used = name.equals(kept.used());
              if (json) {
                terminal.out().println(Json.text(shown(name, one, used)));
              } else {
                String login =
                    one.token() != null ? "token" : one.certificate() != null ? "certificate" : "";
                table.row(used ? "*" : "", name, one.url(), one.bootstrap(), login);
              }
            });
    if (!json && table.isEmpty()) {
      terminal.note("there are none; commands reach the local stack");
    } else if (!json) {
      table.print(terminal);
    }
    terminal.flush();
    return ExitCode.DONE;
  }

  private static Map<String, Object> shown(String name, Context one, boolean used) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", name);
    shown.put("used", used);
    shown.put("url", one.url());
    shown.put("bootstrap", one.bootstrap());
    shown.put("token", one.token() != null);
    shown.put("ca", one.ca());
    shown.put("certificate", one.certificate());
    shown.values().removeIf(Objects::isNull);
    return shown;
  }

  /** {@code stoker context use}. */
  @Command(
      name = "use",
      description = "Has commands reach it from now on.",
      footerHeading = "%nExamples:%n",
      footer = {
        "  stoker context use lab",
        "  stoker context use local      the stack of this machine again"
      })
  int use(
      @Parameters(paramLabel = "NAME", description = "Its name; local for the local stack.")
          String name) {
    Contexts.read(file).use(name).write(file);
    return ExitCode.DONE;
  }

  /** {@code stoker context add}. */
  @Command(
      name = "add",
      description = "Keeps one, without a token: stoker login keeps one with it.",
      footerHeading = "%nExamples:%n",
      footer = {
        "  stoker context add lab --url https://gpu-box:8443 --bootstrap gpu-box:9092",
        "  stoker context add lab --url https://gpu-box:8443 --ca ca.pem"
      })
  int add(
      @Parameters(paramLabel = "NAME", description = "Its name.") String name,
      @Option(names = "--url", paramLabel = "URL", required = true, description = "Of REST.")
          String url,
      @Option(names = "--bootstrap", paramLabel = "HOST:PORT", description = "Of Kafka.")
          String bootstrap,
      @Option(
              names = "--ca",
              paramLabel = "FILE",
              description = "Certificates (PEM) by which REST is believed by HTTPS.")
          Path ca) {
    String certificates = ca == null ? null : AccessOptions.whole(ca);
    Context added =
        new Context(Connection.parse("--url", url).toString(), bootstrap, null, certificates, null);
    Contexts.read(file).with(name, added).write(file);
    return ExitCode.DONE;
  }

  /** {@code stoker context remove}. */
  @Command(
      name = "remove",
      description = "Forgets one, and its token.",
      footerHeading = "%nExamples:%n",
      footer = "  stoker context remove lab")
  int remove(@Parameters(paramLabel = "NAME", description = "Its name.") String name) {
    Contexts.read(file).without(name).write(file);
    return ExitCode.DONE;
  }
}
