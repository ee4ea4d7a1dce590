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
  final String mark = "test-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + "/";

  @TempDir Path home;

  NodeScripts scripts;
  NodeSession node;
  Mirror mirror;

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

  Order order(String... command) {
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
    return Files.readString(mirror.stdout());
  }

  /** Starts what is prepared, and waits until it has a process. */
  Look running() throws Exception {
    node.start();
    return await().until(() -> node.look(), look -> look.state() == State.ALIVE);
  }

  Order around(String before, String command, String after) {
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

  boolean stdoutHas(String text) throws IOException {
    return Files.exists(mirror.stdout()) && stdout().contains(text);
  }
}
