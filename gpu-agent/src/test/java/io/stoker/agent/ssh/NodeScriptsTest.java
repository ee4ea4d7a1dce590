package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.runner.OwnProcess;
import io.stoker.agent.ssh.Look.State;
import io.stoker.agent.supervise.BootClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is sent to nodes, run by this machine's shell. */
class NodeScriptsTest {
  private static final String FOLDER = "runs/owner/job-1";
  private final String mark =
      "test-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + "/";

  @TempDir Path home;
  private NodeScripts scripts;
  private NodeSession node;
  private Mirror mirror;

  @BeforeEach
  void open() {
    scripts = new NodeScripts(FOLDER, mark);
    mirror = new Mirror(home.resolve("out"), home.resolve("err"), home.resolve("result"));
    node = new NodeSession(new LocalShell(home), FOLDER, scripts, mirror);
  }

  @AfterEach
  void nothingIsLeft() throws LinkException {
    assertThat(marked()).as("processes of the run").isEmpty();
    new LocalShell(home).run(scripts.sweep());
  }

  private List<Long> marked() {
    return ProcessHandle.allProcesses().map(ProcessHandle::pid).filter(this::isMarked).toList();
  }

  private boolean isMarked(long pid) {
    try {
      return Files.readString(
              Path.of("/proc/" + pid + "/environ"), java.nio.charset.StandardCharsets.ISO_8859_1)
          .contains("STOKER_NODE_RUN=" + mark);
    } catch (IOException e) {
      return false;
    }
  }

  private Order order(String... command) {
    return new Order(
        "worker@node:22",
        List.of(command),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Map.of(NodeFiles.PARAMS, "{\"x\": 1}"),
        List.of(),
        300,
        0);
  }

  private Order sh(String script) {
    return order("sh", "-c", script);
  }

  private Look run(Order order) throws Exception {
    node.prepare(order);
    node.start();
    return await().atMost(Duration.ofSeconds(20)).until(() -> node.look(), NodeScriptsTest::over);
  }

  private static boolean over(Look look) {
    return look.state() != State.ALIVE && look.state() != State.STARTING && !look.more();
  }

  private String stdout() throws IOException {
    return Files.readString(mirror.stdout());
  }

  /** Starts what is prepared, and waits until it has a process. */
  private Look running() throws Exception {
    node.start();
    return await().until(() -> node.look(), look -> look.state() == State.ALIVE);
  }

  @Test
  void aJobsOutputAndExitCodeComeBack() throws Exception {
    Look end = run(sh("echo out; echo err >&2; exit 7"));

    assertThat(end.state()).isEqualTo(State.EXITED);
    assertThat(end.value()).isEqualTo(7);
    assertThat(stdout()).isEqualTo("out\n");
    assertThat(Files.readString(mirror.stderr())).isEqualTo("err\n");
  }

  @Test
  void valuesComeAsTheyAre() throws Exception {
    String odd = "it's $HOME `id` \"x\" \\ \n two";

    run(
        with(
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
    run(with(Map.of("odd.name", "o'dd"), "env"));

    assertThat(stdout()).contains("odd.name=o'dd\n");
  }

  private Order with(Map<String, String> env, String... command) {
    Order plain = order(command);
    return new Order(
        plain.node(),
        plain.command(),
        env,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        plain.texts(),
        List.of(),
        300,
        0);
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

    assertThat(end.result()).asString().isEqualTo("42\n");
    assertThat(Files.readString(mirror.result())).isEqualTo("42\n");
  }

  @Test
  void muchOutputComesInPieces() throws Exception {
    run(sh("head -c 3000000 /dev/zero; echo end"));

    assertThat(Files.size(mirror.stdout())).isEqualTo(3_000_004);
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
    Look end =
        run(
            new Order(
                plain.node(),
                plain.command(),
                Map.of(),
                Optional.of("/no/such"),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                List.of(),
                300,
                0));

    assertThat(end.unusable().orElseThrow()).contains("work folder /no/such does not exist");
  }

  private Order around(String before, String command, String after) {
    Order plain = sh(command);
    return new Order(
        plain.node(),
        plain.command(),
        Map.of(),
        Optional.empty(),
        Optional.ofNullable(before),
        Optional.ofNullable(after),
        Map.of(),
        List.of(),
        2_000,
        0);
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
  void aStoppedJobGetsItsPostScript() throws Exception {
    node.prepare(around(null, "echo up; sleep 600", "echo cleaned"));
    node.start();
    await().until(() -> node.look().state() == State.ALIVE && stdoutHas("up"));
    node.stop(5_000);

    Look end = await().atMost(Duration.ofSeconds(20)).until(() -> node.look(), s -> over(s));
    assertThat(end.value()).isEqualTo(143);
    assertThat(stdout()).isEqualTo("up\ncleaned\n");
  }

  @Test
  void theWholeTreeIsStopped() throws Exception {
    node.prepare(
        sh(
            "trap '' TERM; (sleep 601 &) ; setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' & echo up; wait; while :; do sleep 1; done"));
    node.start();
    await()
        .until(() -> node.look().state() == State.ALIVE && stdoutHas("up") && marked().size() > 2);

    node.stop(400);

    Look end = await().atMost(Duration.ofSeconds(20)).until(() -> node.look(), s -> over(s));
    assertThat(end.state()).isEqualTo(State.EXITED);
    assertThat(end.value()).isEqualTo(137);
  }

  private boolean stdoutHas(String text) throws IOException {
    return Files.exists(mirror.stdout()) && stdout().contains(text);
  }

  @Test
  void whatAJobLeavesBehindIsEnded() throws Exception {
    Look end = run(sh("setsid sleep 602 & echo done"));

    assertThat(end.value()).isZero();
    assertThat(marked()).isEmpty();
  }

  @Test
  void stoppedBeforeItBeganItNeverBegins() throws Exception {
    node.prepare(sh("echo never"));

    assertThat(node.stop(0).state()).isEqualTo(State.REVOKED);
    assertThat(node.start().state()).isEqualTo(State.REVOKED);
    assertThat(mirror.stdout()).doesNotExist();
  }

  @Test
  void stoppedBeforeItsFirstProcessIsASessionItEnds() throws Exception {
    node.prepare(sh("true"));
    Process first = new ProcessBuilder("sleep", "606").start();
    OwnProcess named = OwnProcess.of(first.pid());
    Path folder = home.resolve(FOLDER);
    Files.writeString(folder.resolve("claim"), "starting\n");
    Files.writeString(
        folder.resolve("pid"),
        "%1$d %2$d %1$d %2$d %3$s\n"
            .formatted(named.pid(), named.startTicks(), new BootClock().bootId()));
    assertThat(node.look().state()).isEqualTo(State.ALIVE);

    node.stop(400);

    assertThat(first.waitFor(20, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    assertThat(first.exitValue()).isEqualTo(143);
  }

  @Test
  void aWrapperThatWasKilledLeavesNoExitCode() throws Exception {
    node.prepare(sh("sleep 603"));
    Look up = running();
    long wrapper =
        Long.parseLong(Files.readString(home.resolve(FOLDER).resolve("pid")).split(" ")[2]);
    ProcessHandle.of(wrapper).orElseThrow().destroyForcibly();
    ProcessHandle.of(up.value()).orElseThrow().destroyForcibly();

    Look end = await().until(() -> node.look(), s -> over(s));
    assertThat(end.state()).isEqualTo(State.GONE);
    assertThat(node.sweep().state()).isEqualTo(State.GONE);
  }

  @Test
  void afterAnotherBootNothingOfItIsAlive() throws Exception {
    node.prepare(sh("sleep 604"));
    running();
    await().until(() -> !marked().isEmpty());
    Path pid = home.resolve(FOLDER).resolve("pid");
    String real = Files.readString(pid);
    Files.writeString(pid, real.replaceAll(" \\S+\\n", " another-boot\n"));

    assertThat(node.look().state()).isEqualTo(State.GONE);
    node.sweep(); // by its mark: the number is another's
    await().until(() -> Files.exists(home.resolve(FOLDER).resolve("exit")));
  }

  @Test
  void whatNobodyAsksAfterIsEndedAtTheLimit() throws Exception {
    Order plain = sh("sleep 605");
    node.prepare(
        new Order(
            plain.node(),
            plain.command(),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            List.of(),
            100,
            300));
    running();
    Files.writeString(home.resolve(FOLDER).resolve("visited"), "-1000\n"); // long ago
    Path exit = home.resolve(FOLDER).resolve("exit");

    await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(exit));

    assertThat(node.look().state()).isEqualTo(State.ABANDONED);
  }

  @Test
  void filesAreCopied() throws Exception {
    Path tool = Files.writeString(home.resolve("tool.sh"), "#!/bin/sh\necho tool\n");
    tool.toFile().setExecutable(true);
    Order plain = order("./tool.sh");
    Look end =
        run(
            new Order(
                plain.node(),
                plain.command(),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                List.of(tool),
                100,
                0));

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
