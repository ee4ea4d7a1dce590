package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Runs on a real SSH server, whose commands are real processes, and what is told of them. */
final class RunsOnSshd implements AutoCloseable {
  static final String FOLDER = "runs/owner/job-1";
  private final Path folder;
  private final String mark = "test-" + System.nanoTime() + "/";
  final BlockingQueue<String> told = new LinkedBlockingQueue<>();

  /** What goes wrong at the next starts. */
  final Queue<RuntimeException> trouble = new ConcurrentLinkedQueue<>();

  final TestSshd sshd;
  private final OutputSync sync;
  MinaLinks links;
  NodeRun run;
  private final List<NodeRun> others = new ArrayList<>();

  RunsOnSshd(Path folder) throws Exception {
    this.folder = folder;
    sshd = new TestSshd(folder);
    sync =
        new OutputSync(folder.resolve("out"), folder.resolve("err"), folder.resolve("result.json"));
    links = links(UnknownHosts.STRICT);
  }

  @Override
  public void close() throws Exception {
    if (run != null) {
      run.close();
    }
    others.forEach(NodeRun::close);
    links.close();
    new LocalShell(sshd.home).run(new NodeScripts(FOLDER, mark).sweep());
    sshd.close();
  }

  MinaLinks links(UnknownHosts unknown) {
    return new MinaLinks(
        new LinkSettings(
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            sshd.knownHosts,
            unknown,
            Optional.empty()));
  }

  NodeRun run(Node node, String... command) {
    return run(node, 1, command);
  }

  NodeRun run(Node node, int tries, String... command) {
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
                "job-1",
                mark,
                new RunRecords.RunRecord(node.name(), FOLDER, Optional.empty()),
                sync),
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

  private NodeRun.Start start(Node node, String... command) {
    return new NodeRun.Start() {
      @Override
      public Order order() {
        return OnThisShell.order(node.name(), List.of(command), Map.of(), Map.of());
      }

      @Override
      public Optional<String> refusal() {
        Optional.ofNullable(trouble.poll())
            .ifPresent(
                e -> {
                  throw e;
                });
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

  String next() throws InterruptedException {
    String said = told.poll(60, TimeUnit.SECONDS);
    assertThat(said).as("told within 30 s").isNotNull();
    return said;
  }

  static String code(int code) {
    return "ended " + OptionalInt.of(code);
  }

  String stdout() throws IOException {
    return Files.exists(sync.stdout()) ? Files.readString(sync.stdout()) : "";
  }

  /** A job that says how far it has got and goes on when a file is there. */
  static String[] steps(Path gate, int code) {
    return new String[] {
      "sh",
      "-c",
      "echo one; until [ -e '%s' ]; do sleep 0.05; done; echo two; exit %d".formatted(gate, code)
    };
  }

  /** Begins another run of its own on the node, over the same links. */
  void beginAnother(int n, String... command) {
    String name = "runs/owner/many-" + n;
    Node node = sshd.node();
    NodeRun one =
        new NodeRun(
            new NodeRun.Subject(
                name,
                mark + n + "/", // one run's end is the end of all that carries its mark
                new RunRecords.RunRecord(node.name(), name, Optional.empty()),
                new OutputSync(
                    folder.resolve("out" + n), folder.resolve("err" + n), folder.resolve("r" + n))),
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
            start(node, command),
            new Told());
    others.add(one);
    one.begin();
  }
}
