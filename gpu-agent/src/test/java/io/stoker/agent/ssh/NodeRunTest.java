package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.runner.OwnProcess;
import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs followed over real connections to a real SSH server, whose commands are real processes. */
class NodeRunTest {
  private static final String FOLDER = "runs/owner/job-1";

  @TempDir Path folder;
  private final String mark = "test-" + System.nanoTime() + "/";
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private TestSshd sshd;
  private Mirror mirror;
  private MinaLinks links;
  private NodeRun run;

  private final List<NodeRun> others = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    sshd = new TestSshd(folder);
    mirror =
        new Mirror(folder.resolve("out"), folder.resolve("err"), folder.resolve("result.json"));
    links = links(UnknownHosts.STRICT);
  }

  @AfterEach
  void close() throws Exception {
    if (run != null) {
      run.close();
    }
    others.forEach(NodeRun::close);
    links.close();
    new LocalShell(sshd.home).run(new NodeScripts(FOLDER, mark).sweep());
    sshd.close();
  }

  private MinaLinks links(UnknownHosts unknown) {
    return new MinaLinks(
        new LinkSettings(Duration.ofSeconds(5), Duration.ofSeconds(5), sshd.knownHosts, unknown));
  }

  private NodeRun run(Node node, String... command) {
    return run(node, 1, command);
  }

  private NodeRun run(Node node, int tries, String... command) {
    FollowRules rules =
        new FollowRules(
            tries,
            Duration.ofMillis(50),
            Duration.ofMillis(20),
            Optional.empty(),
            Duration.ofMillis(50));
    run =
        new NodeRun(
            new NodeRun.Subject(
                "job-1", mark, new RunRecords.RunRecord(node.name(), FOLDER), mirror),
            new NodeRun.Ways(
                new FixedNodes(Map.of(node.name(), node)),
                links,
                rules,
                new NodeBook(
                    List.of(new Nodes.Offer(node.name(), Optional.empty())), 9, new Random(1))),
            start(node, command),
            new Told());
    return run;
  }

  private static NodeRun.Start start(Node node, String... command) {
    return new NodeRun.Start() {
      @Override
      public Order order() {
        return new Order(
            node.name(),
            List.of(command),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            List.of(),
            300,
            0);
      }

      @Override
      public Optional<String> refusal() {
        return Optional.empty();
      }
    };
  }

  private final class Told implements NodeRun.Listener {
    @Override
    public void began() {
      told.add("began");
    }

    @Override
    public void notBegun(Cause cause, String why) {
      told.add("not begun: " + cause + ": " + why);
    }

    @Override
    public void ended(OptionalInt exitCode, Optional<String> note, boolean launch) {
      told.add("ended " + exitCode + note.map(text -> ": " + text).orElse(""));
    }
  }

  private String next() throws InterruptedException {
    String said = told.poll(30, TimeUnit.SECONDS);
    assertThat(said).as("told within 30 s").isNotNull();
    return said;
  }

  private static String code(int code) {
    return "ended " + OptionalInt.of(code);
  }

  private String stdout() throws IOException {
    return Files.exists(mirror.stdout()) ? Files.readString(mirror.stdout()) : "";
  }

  /** A job that says how far it has got and goes on when a file is there. */
  private static String[] steps(Path gate, int code) {
    return new String[] {
      "sh",
      "-c",
      "echo one; until [ -e '%s' ]; do sleep 0.05; done; echo two; exit %d".formatted(gate, code)
    };
  }

  @Test
  void aJobRunsOnItsNode() throws Exception {
    Path gate = folder.resolve("gate");
    run(sshd.node(), steps(gate, 5)).begin();

    assertThat(next()).isEqualTo("began");
    Files.createFile(gate);
    assertThat(next()).isEqualTo(code(5));
    assertThat(stdout()).isEqualTo("one\ntwo\n");
    assertThat(sshd.logins).hasValue(1);
  }

  @Test
  void cutInMidJobItGoesOnAndIsFollowedAgain() throws Exception {
    Path gate = folder.resolve("gate");
    run(sshd.node(), steps(gate, 7)).begin();
    assertThat(next()).isEqualTo("began");
    await().until(() -> stdout().equals("one\n"));

    sshd.cut();
    await().until(() -> sshd.logins.get() == 2);
    sshd.stop();
    Files.createFile(gate); // the job ends while nobody can see it
    await().until(() -> Files.exists(sshd.home.resolve(FOLDER).resolve("exit")));
    sshd.start();

    assertThat(next()).isEqualTo(code(7));
    assertThat(stdout()).isEqualTo("one\ntwo\n");
    assertThat(told).isEmpty();
  }

  @Test
  void manyCutsLoseAndDoubleNothing() throws Exception {
    run(
            sshd.node(),
            "sh",
            "-c",
            "i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line $i; sleep 0.01; done; exit 9")
        .begin();
    assertThat(next()).isEqualTo("began");
    int cuts = 0;
    while (told.isEmpty()) {
      int before = sshd.logins.get();
      String seen = stdout();
      sshd.cut();
      cuts++;
      boolean atOnce = cuts % 2 == 1; // in the middle of a look, or after one
      await()
          .pollInterval(Duration.ofMillis(5))
          .until(
              () ->
                  !told.isEmpty()
                      || (sshd.logins.get() > before && (atOnce || !stdout().equals(seen))));
    }

    assertThat(next()).isEqualTo(code(9));
    assertThat(cuts).isGreaterThan(1);
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= 100; i++) {
      all.append("line ").append(i).append('\n');
    }
    assertThat(stdout()).isEqualTo(all.toString());
  }

  @Test
  void aChangedHostKeyIsRefusedAndTheJobRunsOn() throws Exception {
    Path gate = folder.resolve("gate");
    run(sshd.node(), steps(gate, 0)).begin();
    assertThat(next()).isEqualTo("began");
    sshd.stop();
    sshd.changeHostKey();
    sshd.start();
    Files.createFile(gate);
    await().until(() -> Files.exists(sshd.home.resolve(FOLDER).resolve("exit")));
    assertThat(told).isEmpty();

    sshd.know(); // a person has looked at it

    assertThat(next()).isEqualTo(code(0));
  }

  @Test
  void onANodeWithAChangedHostKeyNothingIsStarted() throws Exception {
    sshd.stop();
    sshd.changeHostKey();
    sshd.start();
    int logins = sshd.logins.get();

    run(sshd.node(), 3, "true").begin();

    assertThat(next())
        .startsWith("not begun: LAUNCH: the host key of [127.0.0.1]:" + sshd.port())
        .contains("has CHANGED")
        .contains(sshd.knownHosts + " line 1");
    assertThat(sshd.logins).hasValue(logins);
  }

  @Test
  void anUnknownHostIsRefused() throws Exception {
    Files.delete(sshd.knownHosts);

    run(sshd.node(), "true").begin();

    assertThat(next()).contains("LAUNCH").contains("is not in " + sshd.knownHosts);
  }

  @Test
  void anUnknownHostIsLearnedWhereThatIsAllowed() throws Exception {
    Files.delete(sshd.knownHosts);
    links.close();
    links = links(UnknownHosts.ACCEPT_NEW);

    run(sshd.node(), "true").begin();

    String said = next();
    assertThat(said.equals("began") ? next() : said).isEqualTo(code(0));
    assertThat(sshd.knownHosts).content().startsWith("[127.0.0.1]:" + sshd.port());
  }

  @Test
  void aKeyThatIsNotLetInIsNamed() throws Exception {
    Path other = TestSshd.write(TestSshd.pair("ssh-ed25519"), folder.resolve("id_other"));

    run(sshd.node(other), 3, "true").begin();

    assertThat(next()).contains("LAUNCH").contains("does not let the user in with key " + other);
  }

  @Test
  void aFileThatIsNoKeyIsNamed() throws Exception {
    Path other = Files.writeString(folder.resolve("id_none"), "no key\n");

    run(sshd.node(other), 3, "true").begin();

    assertThat(next()).contains("LAUNCH").contains("key file " + other);
  }

  @Test
  void rsaKeysServeToo() throws Exception {
    sshd.trust(TestSshd.pair("ssh-rsa"), folder.resolve("id_rsa"));

    run(sshd.node(folder.resolve("id_rsa")), "true").begin();

    String said = next();
    assertThat(said.equals("began") ? next() : said).isEqualTo(code(0));
  }

  @Test
  void aNodeThatIsNotThereIsTriedAgain() throws Exception {
    sshd.stop();

    run(sshd.node(), 3, "true").begin();

    assertThat(next())
        .contains("LAUNCH: worker@127.0.0.1:" + sshd.port() + " cannot be reached")
        .endsWith("(3 tries)");
    sshd.start();
  }

  @Test
  void aNodeThatSaysNothingIsGivenUpInTime() throws Exception {
    links.close();
    links =
        new MinaLinks(
            new LinkSettings(
                Duration.ofMillis(300),
                Duration.ofSeconds(5),
                sshd.knownHosts,
                UnknownHosts.STRICT));
    try (ServerSocket silent = new ServerSocket(0)) {
      Node node =
          new Node("a", "127.0.0.1", silent.getLocalPort(), Optional.of(sshd.key), "127.0.0.1");

      run(node, 2, "true").begin();

      assertThat(next()).contains("LAUNCH").endsWith("(2 tries)");
    }
  }

  @Test
  void stoppedItEndsWithItsWholeTree() throws Exception {
    Path up = folder.resolve("up");
    run(
            sshd.node(),
            "sh",
            "-c",
            "(setsid sh -c 'echo $$ >%1$s.new; mv %1$s.new %1$s; exec sleep 700' &); sleep 701"
                .formatted(up))
        .begin();
    assertThat(next()).isEqualTo("began");
    await().until(() -> Files.exists(up));
    OwnProcess strayed = OwnProcess.of(Long.parseLong(Files.readString(up).strip()));

    run.kill(2_000);

    assertThat(next()).isEqualTo(code(143));
    assertThat(strayed.alive()).isFalse();
  }

  @Test
  void stoppedWhileItsNodeIsAwayItEndsWhenTheNodeIsBack() throws Exception {
    run(sshd.node(), "sleep", "702").begin();
    assertThat(next()).isEqualTo("began");
    sshd.stop();
    run.kill(2_000);
    sshd.start();

    assertThat(next()).isEqualTo(code(143));
  }

  @Test
  void anotherAgentFollowsItOn() throws Exception {
    Path gate = folder.resolve("gate");
    run(sshd.node(), steps(gate, 4)).begin();
    assertThat(next()).isEqualTo("began");
    await().until(() -> stdout().equals("one\n"));
    run.close();
    links.close();

    links = links(UnknownHosts.STRICT);
    run(sshd.node(), "false").resume(true);
    Files.createFile(gate);

    assertThat(next()).isEqualTo(code(4));
    assertThat(stdout()).isEqualTo("one\ntwo\n");
  }

  @Test
  void manyRunsShareOneConnection() throws Exception {
    int n = 12; // a session has 8 channels
    for (int i = 0; i < n; i++) {
      String name = "runs/owner/many-" + i;
      Node node = sshd.node();
      NodeRun one =
          new NodeRun(
              new NodeRun.Subject(
                  name,
                  mark + i + "/", // one run's end is the end of all that carries its mark
                  new RunRecords.RunRecord(node.name(), name),
                  new Mirror(
                      folder.resolve("out" + i),
                      folder.resolve("err" + i),
                      folder.resolve("r" + i))),
              new NodeRun.Ways(
                  new FixedNodes(Map.of(node.name(), node)),
                  links,
                  new FollowRules(
                      1,
                      Duration.ofMillis(50),
                      Duration.ofMillis(100),
                      Optional.empty(),
                      Duration.ofMillis(100)),
                  new NodeBook(
                      List.of(new Nodes.Offer(node.name(), Optional.empty())), 9, new Random(1))),
              start(node, "sh", "-c", "echo done"),
              new Told());
      others.add(one);
      one.begin();
    }
    int ended = 0;
    while (ended < n) {
      String said = next();
      ended += said.equals(code(0)) ? 1 : 0;
      assertThat(said).isIn("began", code(0));
    }
    assertThat(sshd.logins).hasValue(1);
  }
}
