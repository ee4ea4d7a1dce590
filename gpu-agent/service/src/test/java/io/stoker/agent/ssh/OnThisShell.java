package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.ssh.Look.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs what is sent to nodes by this machine's shell; no process of it is left. */
abstract class OnThisShell {
  static final String FOLDER = "runs/owner/job-1";
  static final JobCare CARE = JobCare.plain(Duration.ofMillis(300));
  final String mark = "test-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + "/";

  @TempDir Path home;

  NodeScripts scripts;
  NodeSession node;
  OutputSync sync;

  @BeforeEach
  void open() {
    scripts = new NodeScripts(FOLDER, mark);
    sync = new OutputSync(home.resolve("out"), home.resolve("err"), home.resolve("result"));
    node = new NodeSession(new LocalShell(home), FOLDER, scripts, sync);
  }

  @AfterEach
  void nothingIsLeft() throws LinkException {
    try {
      assertThat(marked()).as("processes of the run").isEmpty();
    } finally {
      new LocalShell(home).run(scripts.sweep());
    }
  }

  List<Long> marked() {
    return ProcessHandle.allProcesses().map(ProcessHandle::pid).filter(this::isMarked).toList();
  }

  boolean isMarked(long pid) {
    try {
      return Files.readString(
              Path.of("/proc/" + pid + "/environ"), java.nio.charset.StandardCharsets.ISO_8859_1)
          .contains("STOKER_NODE_RUN=" + mark);
    } catch (IOException e) {
      return false;
    }
  }

  static Order order(
      String node, List<String> command, Map<String, String> env, Map<String, String> texts) {
    return new Order(node, command, env, Optional.empty(), texts, CARE, 0);
  }

  Order order(Map<String, String> env, String... command) {
    Map<String, String> texts = Map.of(NodeFiles.PARAMS, "{\"x\": 1}");
    return order("worker@node:22", List.of(command), env, texts);
  }

  Order order(String... command) {
    return order(Map.of(), command);
  }

  Order sh(String script) {
    return order("sh", "-c", script);
  }

  Look run(Order order) throws Exception {
    node.prepare(order);
    node.start();
    return await().atMost(Duration.ofSeconds(60)).until(() -> node.look(), OnThisShell::over);
  }

  static boolean over(Look look) {
    return look.state() != State.ALIVE && look.state() != State.STARTING && !look.more();
  }

  String stdout() throws IOException {
    return Files.readString(sync.stdout());
  }

  /** Starts what is prepared, and waits until it has a process. */
  Look running() throws Exception {
    node.start();
    return await().until(() -> node.look(), look -> look.state() == State.ALIVE);
  }

  Order around(String before, String command, String after) {
    Optional<String> first = Optional.ofNullable(before);
    Optional<String> last = Optional.ofNullable(after);
    JobCare care = new JobCare(first, last, List.of(), Duration.ofSeconds(2));
    return caring(sh(command), care, 0);
  }

  static Order caring(Order plain, JobCare care, long limitSeconds) {
    return new Order(
        plain.node(), plain.command(), Map.of(), Optional.empty(), Map.of(), care, limitSeconds);
  }

  boolean stdoutHas(String text) throws IOException {
    return Files.exists(sync.stdout()) && stdout().contains(text);
  }
}
