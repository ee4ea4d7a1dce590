package io.stoker.agent.ssh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.ssh.Look.State;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent to nodes, run by this machine's shell. */
class NodeScriptsTest extends OnThisShell {
  @Test
  void aJobsOutputAndExitCodeComeBack() throws Exception {
    Look end = run(sh("echo out; echo err >&2; exit 7"));

    assertThat(end.state()).isEqualTo(State.EXITED);
    assertThat(end.value()).isEqualTo(7);
    assertThat(stdout()).isEqualTo("out\n");
    assertThat(Files.readString(sync.stderr())).isEqualTo("err\n");
  }

  /** One that was sent over a link that broke may go on after the job has begun. */
  @Test
  void whatIsLaidOutAgainCutsNoFileShortThatAShellReads() throws Exception {
    node.prepare(sh("echo all of it"));
    Path script = home.resolve(FOLDER).resolve("job.sh");
    String whole = Files.readString(script);

    try (Reader reading = Files.newBufferedReader(script)) {
      node.prepare(sh("echo something that is as long as it likes"));

      StringWriter read = new StringWriter();
      reading.transferTo(read);
      assertThat(read).hasToString(whole);
    }
  }

  /** The rest was lost with the link: a shell takes the end of what it gets for the text's. */
  @Test
  void aFileOfWhichOnlyAPartCameIsNotLaidOut() throws Exception {
    String script = scripts.prepare(sh("echo all of it"));
    int within = script.indexOf("exec ", script.indexOf("cat >job.sh"));

    Process shell =
        new ProcessBuilder("sh", "-s")
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(home.resolve("said").toFile())
            .start();
    try (OutputStream in = shell.getOutputStream()) {
      in.write(script.substring(0, within).getBytes(UTF_8));
    }
    shell.waitFor();

    assertThat(home.resolve(FOLDER).resolve("wrap.sh")).exists();
    assertThat(home.resolve(FOLDER).resolve("job.sh")).doesNotExist();
  }

  @Test
  void valuesComeAsTheyAre() throws Exception {
    String odd = "it's $HOME `id` \"x\" \\ \n two";

    run(
        order(
            Map.of("PLAIN", odd),
            "sh",
            "-c",
            "printf '%s|' \"$1\" \"$PLAIN\"; cat $STOKER_PARAMS; pwd",
            "x",
            "a 'b' $c"));

    assertThat(stdout())
        .startsWith("a 'b' $c|" + odd + "|{\"x\": 1}\n")
        .endsWith(FOLDER + "/work\n");
  }

  @Test
  void variablesThatNoShellCanNameComeToo() throws Exception {
    run(order(Map.of("odd.name", "o'dd"), "env"));

    assertThat(stdout()).contains("odd.name=o'dd\n");
  }

  /** By all that a request says, and each way in which a shell could take it for its own. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'; touch pwned; '",
        "\"; touch pwned; \"",
        "$(touch pwned)",
        "`touch pwned`",
        "\ntouch pwned\n",
        "x\nEND_\n'\ntouch pwned\n",
        "-S touch pwned",
        "../../pwned",
        "\\' ; touch pwned #",
      })
  void run_ofWhatIsNoWordOfAShell_runsNothingOfIt(String odd) throws Exception {
    Order evil =
        order(
            odd,
            List.of("printf", "%s|", odd, "--" + odd),
            Map.of("PLAIN", odd, "x;" + odd.replace("=", ""), odd, "A" + odd, odd),
            Map.of(NodeFiles.PARAMS, odd, NodeFiles.DEPENDENCIES, odd, NodeFiles.GROUP, odd));

    assertThat(run(evil).value()).isZero();
    assertThat(stdout()).isEqualTo(odd + "|--" + odd + "|");
    Order elsewhere =
        new Order(odd, List.of(odd), Map.of(), Optional.of("/nowhere/" + odd), Map.of(), CARE, 0);
    String folder = "runs/owner/job-2";
    NodeScripts others = new NodeScripts(folder, mark);
    OutputSync unused = new OutputSync(home.resolve("o2"), home.resolve("e2"), home.resolve("r2"));
    NodeSession second = new NodeSession(new LocalShell(home), folder, others, unused);
    second.prepare(elsewhere);
    second.start();
    await().until(() -> over(second.look()));

    try (Stream<Path> all = Files.walk(home)) {
      assertThat(all.map(path -> path.getFileName().toString())).doesNotContain("pwned");
    }
    assertThat(Path.of("pwned")).doesNotExist();
  }

  @Test
  void startedTwiceItRunsOnce() throws Exception {
    node.prepare(sh("echo once; sleep 0.3"));
    node.start();
    node.prepare(sh("echo again"));
    node.start();

    await().until(() -> over(node.look()));
    assertThat(stdout()).isEqualTo("once\n");
  }

  @Test
  void theResultFileComesWhenItHasEnded() throws Exception {
    Look end = run(sh("echo 42 >$STOKER_RESULT"));

    assertThat(end.result())
        .asString()
        .as("%s with %d: %s", end.state(), end.value(), new String(end.stderr(), UTF_8))
        .isEqualTo("42\n");
    assertThat(Files.readString(sync.result())).isEqualTo("42\n");
  }

  @Test
  void muchOutputComesInPieces() throws Exception {
    run(sh("head -c 3000000 /dev/zero; echo end"));

    assertThat(Files.size(sync.stdout())).isEqualTo(3_000_004);
  }

  @Test
  void whatTheNodeDoesNotHaveIsNamed() throws Exception {
    Look none = run(order("no-such-program"));

    assertThat(none.unusable().orElseThrow())
        .contains("program no-such-program was not found on the path of worker@node:22");
  }

  @Test
  void whatCannotBeExecutedIsNamed() throws Exception {
    Files.writeString(home.resolve("plain.txt"), "x");

    Look end = run(order(home.resolve("plain.txt").toString()));

    assertThat(end.unusable().orElseThrow()).contains("plain.txt is not executable");
  }

  @Test
  void aMissingWorkFolderIsNamed() throws Exception {
    Order plain = sh("true");
    Optional<String> missing = Optional.of("/no/such");
    Look end = run(new Order(plain.node(), plain.command(), Map.of(), missing, Map.of(), CARE, 0));

    assertThat(end.unusable().orElseThrow()).contains("work folder /no/such does not exist");
  }

  @Test
  void scriptsRunBeforeAndAfter() throws Exception {
    Look end = run(around("X=set; export X", "echo $X; exit 3", "echo after $STOKER_EXIT_CODE"));

    assertThat(end.value()).isEqualTo(3);
    assertThat(stdout()).isEqualTo("set\nafter 3\n");
  }

  @Test
  void aPreScriptThatFailsIsNoBeginning() throws Exception {
    Look end = run(around("false", "echo never", null));

    assertThat(end.unusable().orElseThrow()).contains("pre-script failed").contains("exit code 1");
  }

  @Test
  void filesAreCopied() throws Exception {
    Path tool = Files.writeString(home.resolve("tool.sh"), "#!/bin/sh\necho tool\n");
    tool.toFile().setExecutable(true);
    Duration grace = Duration.ofMillis(100);
    JobCare care = new JobCare(Optional.empty(), Optional.empty(), List.of(tool), grace);
    Look end = run(caring(order("./tool.sh"), care, 0));

    assertThat(end.value()).isZero();
    assertThat(stdout()).isEqualTo("tool\n");
  }

  @Test
  void itsFolderIsRemoved() throws Exception {
    run(sh("true"));

    new LocalShell(home).run(scripts.remove());

    assertThat(home.resolve("runs/owner")).doesNotExist();
    assertThat(node.look().state()).isEqualTo(State.NONE);
  }

  @Test
  void aNodeThatCannotHoldItSaysSo() throws Exception {
    Files.writeString(home.resolve("runs"), "a file");

    assertThatThrownBy(() -> node.prepare(sh("true"))).isInstanceOf(LinkException.class);
  }
}
