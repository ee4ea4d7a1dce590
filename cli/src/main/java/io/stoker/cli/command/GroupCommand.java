package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Groups;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker group}. */
@Command(
    name = "group",
    description = {
      "Shows how far a group is; without a NAME, all groups.",
      "On a terminal, until all of it has ended. A group is there once a request names it. Closed, it",
      "has ended when all of it has. A report is written as FILE says by its ending: .html (a page with",
      "plots), .json or .csv. What is given together is done in the order --create, --retries, --close,",
      "--stop, --rerun-best, --watch, --report."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker group exp-1",
      "  stoker group exp-1 --json | jq .progress",
      "  stoker group exp-1 --create --memory 4GiB --gpu-memory 6GiB",
      "  stoker group exp-1 --retries 20      all its jobs together are retried no more often",
      "  stoker group exp-1 --close           no more is to come",
      "  stoker group exp-1 --stop            end all of it, and what arrives later",
      "  stoker group exp-1 --rerun-best      the best configuration once more; prints the new id",
      "  stoker group exp-1 --close --watch --report exp-1.html      one after the other",
      "  stoker group exp-1 --report | jq -r '[.id, .score, .time] | @tsv'"
    })
public final class GroupCommand implements Callable<Integer> {
  private static final Set<String> KINDS = Set.of("html", "json", "csv");

  @Mixin private DataOption data;
  @Mixin private FormatOption format;

  @Parameters(paramLabel = "NAME", arity = "0..1", description = "The group.")
  private String name;

  @ArgGroup(exclusive = false, heading = "Making it:%n")
  private GroupPlan plan;

  @Option(
      names = "--json",
      description = "One group a line; of what was done {\"group\"} or {\"id\"}.")
  private boolean json;

  @Option(names = "--once", description = "Show it once, on a terminal too.")
  private boolean once;

  @Option(names = "--close", description = "Say that no more is to come.")
  private boolean close;

  @Option(names = "--stop", description = "End all of it, and what arrives in it later.")
  private boolean stop;

  @Option(names = "--rerun-best", description = "Run the configuration with the best score again.")
  private boolean rerunBest;

  @Option(
      names = "--watch",
      description = "Until it has ended, which a group that is not closed does not.")
  private boolean watch;

  @Option(
      names = "--retries",
      paramLabel = "N",
      description = "Limit the retries that all its jobs together may use.")
  private Long retries;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      arity = "0..1",
      fallbackValue = "",
      description =
          "Write its report. Without a FILE: its requests with results and times, one JSON object a"
              + " line.")
  private String report;

  @Override
  public Integer call() throws InterruptedException {
    boolean needsName =
        plan != null || close || stop || rerunBest || watch || report != null || retries != null;
    if (name == null && needsName) {
      throw CliException.usage(
          "NAME is missing, expected with --create, --close, --stop, --rerun-best, --watch,"
              + " --retries and --report");
    }
    if (plan != null && (stop || rerunBest || watch || report != null)) {
      throw CliException.usage(
          "--create is given, expected with it no --stop, --rerun-best, --watch or --report: what is"
              + " made just now is empty");
    }
    if (stop && rerunBest) {
      throw CliException.usage(
          "--stop and --rerun-best are both given, expected one: what arrives in a stopped group"
              + " ends");
    }
    if (report != null && !report.isEmpty() && !KINDS.contains(kind())) {
      throw CliException.usage(
          "--report: %s, expected a file that ends in .html, .json or .csv".formatted(report));
    }
    if (retries != null && retries < 0) {
      throw CliException.usage("--retries is " + retries + ", expected 0 or more");
    }
    Format wanted = format.format(json);
    try (Session session = new Session(data)) {
      Groups groups = new Groups(session.rest());
      Terminal terminal = session.terminal();
      if (name == null) {
        all(terminal, groups.all());
        return ExitCode.DONE;
      }
      boolean changed = change(groups, terminal, wanted);
      if (watch || !changed && report == null) {
        show(groups, terminal, wanted);
      }
      if (report != null) {
        report(terminal, groups);
      }
      return ExitCode.DONE;
    }
  }

  /** Returns whether anything was to be changed. */
  private boolean change(Groups groups, Terminal terminal, Format wanted) {
    if (plan != null) {
      name = groups.create(name, plan.json());
    }
    if (retries != null) {
      groups.limitRetries(name, retries);
    }
    if (close) {
      groups.close(name);
    }
    if (stop) {
      groups.stop(name);
    }
    boolean named = plan != null || retries != null || close || stop;
    if (named) {
      wanted.printName(terminal, "group", name);
    }
    if (rerunBest) {
      wanted.printName(terminal, "id", groups.rerunBest(name));
    }
    return named || rerunBest;
  }

  /** A report without a file is read by a program, which the view of it would disturb. */
  private void show(Groups groups, Terminal terminal, Format wanted) throws InterruptedException {
    GroupView view = new GroupView(terminal, () -> find(groups));
    if (wanted == Format.TABLE && (report == null || !report.isEmpty())) {
      view.show(once, watch);
      return;
    }
    JsonNode group = watch ? view.ended() : find(groups);
    if (report == null) {
      all(terminal, List.of(group));
    }
  }

  private void report(Terminal terminal, Groups groups) {
    if (report.isEmpty()) {
      groups.report(known(groups), request -> terminal.out().println(Json.text(request)));
      return;
    }
    try {
      Files.write(Path.of(report), groups.report(name, kind()));
      terminal.out().println(report);
    } catch (IOException e) {
      throw CliException.failed("%s cannot be written: %s".formatted(report, e.getMessage()), e);
    }
  }

  private String kind() {
    return report.replaceFirst(".*[.]", "").toLowerCase(Locale.ROOT);
  }

  private String known(Groups groups) {
    return find(groups).path("group").asText();
  }

  private JsonNode find(Groups groups) {
    return groups
        .find(name)
        .orElseThrow(() -> CliException.unknownId("nobody knows a group " + name));
  }

  private void all(Terminal terminal, List<JsonNode> all) {
    Format wanted = format.format(json);
    if (wanted.print(terminal, all, group -> group.path("group").asText())) {
      return;
    }
    if (all.isEmpty()) {
      terminal.note("no request names a group");
    } else {
      Table table =
          new Table("GROUP", "STATE", "TOTAL", "SUCCEEDED", "FAILED", "CANCELLED", "TIME");
      all.forEach(
          group ->
              table.row(
                  group.path("group").asText(),
                  group.path("state").asText(),
                  group.path("total").asText(),
                  group.path("succeeded").asText(),
                  group.path("failed").asText(),
                  group.path("cancelled").asText(),
                  group.path("elapsed").asText()));
      wanted.print(terminal, table);
    }
  }
}
