package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.spawn.BootClock;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.ssh.Look.State;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How what runs on a node ends that did not end by itself. */
class NodeStopsTest extends OnThisShell {
  @Test
  void aStoppedJobGetsItsPostScript() throws Exception {
    node.prepare(around(null, "echo up; sleep 600", "echo cleaned"));
    node.start();
    await().until(() -> node.look().state() == State.ALIVE && stdoutHas("up"));
    node.stop(60_000); // and not so long, unless the post-script hangs

    Look end = await().atMost(Duration.ofSeconds(60)).until(() -> node.look(), s -> over(s));
    assertThat(end.value()).isEqualTo(143);
    assertThat(stdout()).isEqualTo("up\ncleaned\n");
  }

  /**
   * The link broke before the first answer came. What the job does at its end is not ended, too.
   */
  @Test
  void stoppedTwice_aJobIsToldOnce() throws Exception {
    node.prepare(around(null, "echo up; sleep 600", "echo ending; sleep 3; echo slept $?"));
    node.start();
    await().until(() -> node.look().state() == State.ALIVE && stdoutHas("up"));
    node.stop(60_000);
    await().until(() -> node.look().state() == State.ALIVE && stdoutHas("ending"));

    node.stop(60_000);

    await().atMost(Duration.ofSeconds(60)).until(() -> node.look(), s -> over(s));
    assertThat(stdout()).isEqualTo("up\nending\nslept 0\n");
  }

  @Test
  void whoIsStoppedAgainWithinLessTime_hasNoMore() throws Exception {
    node.prepare(sh("trap '' TERM; echo up; while :; do sleep 1; done"));
    node.start();
    await().until(() -> node.look().state() == State.ALIVE && stdoutHas("up"));
    node.stop(600_000);

    node.stop(0);

    Look end = await().atMost(Duration.ofSeconds(60)).until(() -> node.look(), s -> over(s));
    assertThat(end.value()).isEqualTo(137);
  }

  /** Told of as alive, nobody would ask for its end again. */
  @Test
  void aJobWhoseProcessShowsItselfDuringTheQuestionIsStoppedToo() throws Exception {
    node.prepare(sh("sleep 611"));
    running();
    Path pid = home.resolve(FOLDER).resolve("pid");
    Path hidden = pid.resolveSibling("pid.hidden");
    Files.move(pid, hidden);
    String late = "uptime_s() { [ ! -f pid.hidden ] || mv pid.hidden pid; up=1; }\n";

    byte[] said =
        new LocalShell(home).run(scripts.stop(0, 0, 0).replace("told=\n", late + "told=\n"));

    assertThat(new String(said)).startsWith("stoker alive ");
    Look end = await().atMost(Duration.ofSeconds(60)).until(() -> node.look(), s -> over(s));
    assertThat(end.value()).isGreaterThan(128);
  }

  /** Else a shell's trap is not run if its child, for which it waits, ends just before. */
  @Test
  void parentsAreToldBeforeTheirChildren() throws Exception {
    String common = new String(NodeScripts.class.getResourceAsStream("common.sh").readAllBytes());
    String told =
        "left() { for i in 101 99 100 7; do echo $i; done | sort -nu; }; kill() { echo $3; }";

    byte[] said = new LocalShell(home).run(common + told + "\njob=100\nsignal TERM\n");

    assertThat(new String(said).lines()).containsExactly("100", "7", "99", "101");
  }

  /** A node that is out of processes runs a script's builtins only, and the script goes on. */
  @Test
  void aJobIsNotGoneBecauseItsNodeHasNoProcessToSpare() throws Exception {
    node.prepare(sh("sleep 609"));
    running();
    String spent =
        Stream.of("sed", "cut", "cat", "grep", "mv", "sort")
            .map(program -> program + "() { return 2; }\n")
            .collect(Collectors.joining());

    byte[] said = new LocalShell(home).run(spent + scripts.look(0, 0));

    assertThat(new String(said)).startsWith("stoker alive ");
    node.stop(0);
    await().atMost(Duration.ofSeconds(60)).until(() -> node.look(), s -> over(s));
  }

  @Test
  void whatIsLeftIsNotNothingBecauseItCouldNotBeListed() throws Exception {
    String common = new String(NodeScripts.class.getResourceAsStream("common.sh").readAllBytes());
    String spent =
        "mark=x; sort() { return 2; }; sleep() { :; }; kill() { :; }; end_all 0; echo $?";

    assertThat(new String(new LocalShell(home).run(common + spent))).isEqualTo("1\n");
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

    Look end = await().atMost(Duration.ofSeconds(60)).until(() -> node.look(), s -> over(s));
    assertThat(end.state()).isEqualTo(State.EXITED);
    assertThat(end.value()).isEqualTo(137);
  }

  @Test
  void whatAJobLeavesBehindIsEnded() throws Exception {
    Look end = run(sh("setsid sleep 602 & echo done"));

    assertThat(end.value()).isZero();
    assertThat(marked()).isEmpty();
  }

  private static String hidden(Path pid, String then) {
    return "setsid env -i sh -c 'echo $$ >%1$s.new; mv %1$s.new %1$s; exec sleep 607' & until [ -e %1$s ]; do sleep 0.05; done; %2$s"
        .formatted(pid, then);
  }

  @Test
  void whoHidesItsEnvironmentEndsWithItsJobAndNoOtherJobsDoes() throws Exception {
    Path mine = home.resolve("mine");
    Path other = home.resolve("other");
    NodeSession neighbour =
        new NodeSession(
            new LocalShell(home),
            "runs/owner/job-2",
            new NodeScripts("runs/owner/job-2", "another-" + mark),
            new OutputSync(home.resolve("out2"), home.resolve("err2"), home.resolve("result2")));
    neighbour.prepare(sh(hidden(other, "sleep 608")));
    neighbour.start();
    await().until(() -> Files.exists(other));
    OwnProcess helper = OwnProcess.of(Long.parseLong(Files.readString(other).strip()));

    Look end = run(sh(hidden(mine, "exit 0")));

    assertThat(end.value()).isZero();
    assertThat(OwnProcess.of(Long.parseLong(Files.readString(mine).strip())).alive()).isFalse();
    assertThat(helper.alive()).isTrue();
    neighbour.stop(400);
    await().atMost(Duration.ofSeconds(60)).until(() -> neighbour.look(), s -> over(s));
    assertThat(helper.alive()).isFalse();
  }

  @Test
  void stoppedBeforeItBeganItNeverBegins() throws Exception {
    node.prepare(sh("echo never"));

    assertThat(node.stop(0).state()).isEqualTo(State.REVOKED);
    assertThat(node.start().state()).isEqualTo(State.REVOKED);
    assertThat(sync.stdout()).doesNotExist();
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

    node.stop(20_000);

    assertThat(first.waitFor(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
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
  void whatNobodyAsksAfterIsEndedWhereTheNodeHasNoProcessToSpareToo() throws Exception {
    assumeThat(System.getProperty("user.name")).as("who may be another user").isEqualTo("root");
    node.prepare(limited(sh("true")));
    Path folder = home.resolve(FOLDER);
    new ProcessBuilder("chmod", "-R", "a+rwX", home.toString()).start().waitFor();
    List<String> other =
        List.of("setpriv", "--reuid=54322", "--regid=54322", "--clear-groups", "setsid");
    Process job = process(other, "sleep", "610");
    OwnProcess named = OwnProcess.of(job.pid());
    Files.writeString(
        folder.resolve("pid"),
        "%1$d %2$d %1$d %2$d %3$s\n"
            .formatted(named.pid(), named.startTicks(), new BootClock().bootId()));
    Files.writeString(folder.resolve("visited"), "-1000\n"); // long ago

    Process guard =
        process(other, "prlimit", "--nproc=1:1", "sh", folder + "/guard.sh", folder.toString());

    assertThat(job.waitFor(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    assertThat(job.exitValue()).isIn(143, 137);
    guard.destroyForcibly().waitFor();
  }

  private static Process process(List<String> before, String... command) throws Exception {
    return new ProcessBuilder(Stream.concat(before.stream(), Stream.of(command)).toList()).start();
  }

  @Test
  void whatNobodyAsksAfterIsEndedAtTheLimit() throws Exception {
    node.prepare(limited(sh("sleep 605")));
    running();
    Files.writeString(home.resolve(FOLDER).resolve("visited"), "-1000\n"); // long ago
    Path exit = home.resolve(FOLDER).resolve("exit");

    await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(exit));

    assertThat(node.look().state()).isEqualTo(State.ABANDONED);
  }

  /** Ended after 300 seconds in which nobody has asked after it. */
  private static Order limited(Order plain) {
    return caring(plain, JobCare.plain(Duration.ofMillis(100)), 300);
  }
}
