package io.stoker.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.local.BuildInfo;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.stack.child.JavaCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void tellsItsVersion() {
    assertThat(run("--version")).isEqualTo(ExitCode.DONE);
    assertThat(out.toString()).startsWith("stoker " + BuildInfo.version()).doesNotContain("${");
  }

  @Test
  void helpListsEachCommandOnceWithASentenceOnALine() {
    List<String> listed =
        CommandList.SECTIONS.stream().flatMap(section -> section.names().stream()).toList();

    assertThat(listed)
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(Main.commandLine().getSubcommands().keySet());
    assertThat(run("--help")).isEqualTo(ExitCode.DONE);
    assertThat(out.toString().lines().filter(line -> line.matches("  [a-z-]+ {2,}[A-Z].*")))
        .hasSize(listed.size())
        .allSatisfy(line -> assertThat(line).endsWith("."));
  }

  @Test
  void aCommandIsLookedIntoAloneByTheNameThatItHas() {
    Commands.BY_NAME.forEach(
        (name, command) -> {
          assertThat(command.getAnnotation(Command.class).name()).isEqualTo(name);
          assertThat(Main.commandLine(name, "--help").getSubcommands()).containsOnlyKeys(name);
        });
  }

  static Stream<String> commands() {
    return Main.commandLine().getSubcommands().keySet().stream()
        .filter(command -> !command.equals("generate-completion"))
        .map(command -> command.equals("topics") ? "topics create" : command);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void helpHasExamples(String command) {
    String[] words = (command + " --help").split(" ");

    assertThat(run(words)).isEqualTo(ExitCode.DONE);
    assertThat(out.toString()).contains("Examples:", "stoker " + command);
  }

  @ParameterizedTest
  @CsvSource({
    "up --hosts x, --hosts",
    "up --hosts -1, --hosts is -1",
    "up --gpus 65, --gpus is 65",
    "up --dispatchers 17, --dispatchers is 17",
    "up --nonsense, --nonsense",
    "info extra, extra",
    "agent --config /no/such/file, --config is /no/such/file",
    "topics create --replication-factor 0, --replication-factor is 0",
    "topics, topics create",
    "submit /no/such/file, /no/such/file",
    "run --gpus x -- true, --gpus",
    "run, COMMAND",
    "status, ID",
    "wait, either ids or --group",
    "wait a --group g, either ids or --group",
    "wait a --timeout soon, --timeout",
    "cancel a --reason, --reason",
    "retry a b --as c, --as is c",
    "forget, either ids or --fingerprint",
    "forget a --fingerprint f, either ids or --fingerprint",
    "priority a, N",
    "priority a 1001, N is 1001",
    "group --close, NAME",
    "drain h --within soon, --within",
    "logs a --rank one, --rank",
    "logs a --rank -1, --rank is -1",
    "list --state gone, --state",
    "list --limit 0, --limit is 0",
    "list --json -o yaml, --json and --output yaml are both given",
    "hosts -o tree, --output",
    "list --watch -o name, --watch",
    "up --config /no/such/file, --config is /no/such/file",
    "policy host, either the NAME of a policy or --configured",
    "policy host auto --configured, either the NAME of a policy or --configured",
    "policy host --configured -p a=b, --parameter",
    "policy host auto -p a, --parameter",
    "devices host, either a LIST of devices or --configured",
    "bench, --workload",
    "bench --workload nothing, --workload",
    "bench --workload latency --jobs 0, --jobs is 0",
    "login gpu-box:8080, stoker: URL is gpu-box:8080",
    "context add lab --url gpu-box, --url is gpu-box",
    "'', a command is missing",
    "nonsense, nonsense"
  })
  void badUsageNamesTheField(String command, String named) {
    String[] words = command.isEmpty() ? new String[0] : command.split(" ");

    assertThat(run(words)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("stoker: ").contains(named);
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lst|lst is no command (did you mean list?)",
        "list --stat RUNNING|--stat is no option of stoker list (did you mean --state?)",
        "topics creat|creat is no command (did you mean create?)",
        "hosts host-9|stoker hosts takes no host-9",
        "info extra|stoker info takes no extra",
        "status --json=maybe a|--json",
        "list --state RUNING|--state is RUNING (did you mean RUNNING?), expected one of WAITING,",
        "list --label team|--label is team, expected NAME=VALUE",
        "list --limit ten|--limit is ten, expected a whole number",
        "list --since yesterday|--since is yesterday, expected how long ago",
        "wait a --timeout 2|--timeout: \"2\" is no duration: expected",
        "pool lst|ACTION is lst (did you mean LIST?), expected one of LIST, SHOW,"
      })
  void badUsageIsSaidAsTheCommandsSayIt(String command, String said) {
    assertThat(run(command.split(" "))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("stoker: ").contains(said, "See: stoker");
  }

  @Test
  void withoutAStackInfoCannotReachIt(@TempDir Path data) {
    assertThat(run("info", "--json", "--data", data.toString())).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(err.toString()).contains(data.toString(), "stoker up");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status a",
        "wait a",
        "wait --group g",
        "list",
        "logs a",
        "results a",
        "cancel a --reason why",
        "retry a",
        "forget a",
        "priority a 5",
        "explain a",
        "group a",
        "hosts",
        "cordon h",
        "drain h",
        "uncordon h",
        "queues",
        "kinds",
        "reload",
        "run -- true"
      })
  void withoutAStackEveryCommandSaysWhatToDo(String command, @TempDir Path data) {
    String[] words = command.replaceFirst(" |$", " --data " + data + " ").strip().split(" ");

    assertThat(run(words)).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(err.toString()).contains(data.toString(), "stoker up");
  }

  @Test
  void withoutAStackDownHasNothingToDo(@TempDir Path data) {
    assertThat(run("down", "--data", data.toString())).isEqualTo(ExitCode.DONE);
  }

  @Test
  void numbersAreOfTheDigitsThatAllReadWhateverTheLocale(@TempDir Path folder) throws Exception {
    Path sweep = folder.resolve("lr.yaml");
    Files.writeString(sweep, "request: {command: [x]}\ngrid: {a: [1]}\n");
    List<String> egypt = List.of("-Duser.language=ar", "-Duser.country=EG");
    List<String> words = List.of("sweep", sweep.toString(), "--dry-run");

    Process dryRun =
        new ProcessBuilder(JavaCommand.ofOwnClassPath(egypt, Main.class, words)).start();

    assertThat(new String(dryRun.getInputStream().readAllBytes(), UTF_8))
        .contains("\"id\":\"lr-1\"");
  }

  private int run(String... words) {
    CommandLine line = Main.commandLine(words);
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(words);
  }
}
