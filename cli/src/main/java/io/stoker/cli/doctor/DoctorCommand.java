package io.stoker.cli.doctor;

import io.stoker.cli.command.Connection;
import io.stoker.cli.command.DataOption;
import io.stoker.cli.doctor.Finding.Level;
import io.stoker.cli.local.BuildInfo;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.topic.Topics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker doctor}. */
@Command(
    name = "doctor",
    description = {
      "Looks for what is wrong here and in what it can reach, and says what to do.",
      "That is this machine, its GPUs, and the Kafka, dispatcher and hosts. Exits with 1 if something",
      "that is needed does not work."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker doctor",
      "  STOKER_BOOTSTRAP=kafka:9092 STOKER_URL=http://dispatcher:8080 stoker doctor",
      "  stoker doctor --json | jq -r 'select(.level != \"OK\") | .remedy'"
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final Path PROC = Path.of("/proc");
  private static final int WIDTH = 5;

  @Mixin private DataOption data;

  @Option(names = "--json", description = "One finding a line.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    Terminal terminal = data.terminal();
    List<Finding> findings = new ArrayList<>();
    findings.addAll(
        show(terminal, new MachineCheck(data.folder().root(), System.getenv(), PROC).run()));
    findings.addAll(show(terminal, GpuCheck.run(PROC)));
    findings.addAll(reach(terminal));
    long bad = findings.stream().filter(one -> one.level() == Level.FAIL).count();
    if (!json && bad > 0) {
      terminal.note("%d of %d checks failed".formatted(bad, findings.size()));
    }
    return bad == 0 ? ExitCode.DONE : ExitCode.FAILED;
  }

  private List<Finding> reach(Terminal terminal) throws InterruptedException {
    Connection connection = Connection.of(data);
    boolean nothingRuns;
    try {
      nothingRuns = connection.isLocal() && connection.running().isEmpty();
    } catch (CliException e) {
      return show(terminal, List.of(Finding.fail("stack", e.getMessage(), "see --data")));
    }
    if (nothingRuns) {
      List<Finding> none = new ArrayList<>(UpCheck.run());
      none.add(
          Finding.ok(
              "stack",
              "none runs on %s, and neither STOKER_BOOTSTRAP nor STOKER_URL is set"
                  .formatted(data.folder())));
      return show(terminal, none);
    }
    List<Finding> findings = new ArrayList<>();
    try {
      Topics topics = new Topics(connection.topicPrefix());
      findings.addAll(show(terminal, new KafkaCheck(connection.access(), topics).run()));
    } catch (CliException e) {
      findings.addAll(show(terminal, List.of(unset("Kafka", e))));
    }
    try {
      findings.addAll(
          show(terminal, new DispatcherCheck(connection.rest(), BuildInfo.version()).run()));
    } catch (CliException e) {
      findings.addAll(show(terminal, List.of(unset("dispatcher", e))));
    }
    return findings;
  }

  private static Finding unset(String what, CliException why) {
    return Finding.warn(what, "not looked at: " + why.getMessage(), "set its variable");
  }

  /** At once, since the next check may take its time. */
  private List<Finding> show(Terminal terminal, List<Finding> findings) {
    findings.forEach(
        finding -> terminal.out().println(json ? Json.text(finding) : line(terminal, finding)));
    terminal.flush();
    return findings;
  }

  private static String line(Terminal terminal, Finding finding) {
    Cell level = level(finding.level());
    String first =
        "%s%s%s: %s"
            .formatted(
                terminal.styled(level.style(), level.text()),
                " ".repeat(WIDTH - level.text().length()),
                finding.check(),
                finding.found());
    return finding.remedy() == null
        ? first
        : first + System.lineSeparator() + " ".repeat(WIDTH) + "-> " + finding.remedy();
  }

  private static Cell level(Level level) {
    return switch (level) {
      case OK -> new Cell("ok", Style.GOOD);
      case WARN -> new Cell("warn", Style.WAITING);
      case FAIL -> new Cell("FAIL", Style.BAD);
    };
  }
}
