package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SshNode;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of type ssh from Kafka to a node and back, through cut links and the death of the agent. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
class SshTest {
  @TempDir static Path folder;
  private StokerStack stack;
  private SshNode node;

  @BeforeAll
  void start() throws Exception {
    node = new SshNode(folder);
    Map<String, String> agent = new HashMap<>(StokerStack.WITHOUT_GPUS);
    agent.put("STOKER_AGENT_RUNNERS_TYPES", "cpu,ssh");
    agent.put("STOKER_AGENT_RUNNERS_SSH_FOLDER", folder.toString());
    agent.put("STOKER_AGENT_RUNNERS_SSH_KNOWN_HOSTS", folder.resolve("known_hosts").toString());
    agent.put("STOKER_AGENT_RUNNERS_SSH_PER_NODE", "2");
    agent.put("STOKER_AGENT_RUNNERS_SSH_FOLLOW_EVERY", "200ms");
    agent.put("STOKER_AGENT_RUNNERS_SSH_LOOK_EVERY", "200ms");
    stack = StokerStack.start("ssh", StackOptions.DEFAULT.withHosts(1).withAgentEnvironment(agent));
  }

  @AfterAll
  void stop() throws IOException {
    stack.close();
    node.close();
  }

  private static Posted far(String id, String script) {
    return Posted.script(id, script).with("resources", Map.of("type", "ssh"));
  }

  private void nothingIsLeftOnTheNode() {
    await("the run folders to be removed")
        .atMost(StatusLog.PATIENCE)
        .until(() -> !Files.exists(node.runs()) || list(node.runs()).isEmpty());
  }

  private static List<Path> list(Path where) throws IOException {
    try (Stream<Path> found = Files.list(where)) {
      return found.toList();
    }
  }

  @Test
  void cutInMidJobItGoesOnAndItsEndIsRight() throws Exception {
    Gate gate = Gate.in(folder, "cut");
    stack.post(far("cut", gate.await() + "echo '#stoker:result 42'; exit 0"));
    stack.statuses().await("cut", RequestState.RUNNING);
    int logins = node.logins();

    node.cut();
    await("it to be followed again").atMost(StatusLog.PATIENCE).until(() -> node.logins() > logins);
    node.stop();
    gate.open();
    node.start();

    RequestStatus end = stack.statuses().awaitEnd("cut");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(1);
    assertThat(end.exitCode()).isZero();
    assertThat(end.result().intValue()).isEqualTo(42);
    nothingIsLeftOnTheNode();
  }

  @Test
  void anAgentThatIsKilledFindsItsJobAgain() throws Exception {
    Gate gate = Gate.in(folder, "adopted");
    stack.post(far("adopted", gate.await() + "exit 7"));
    RequestStatus running = stack.statuses().await("adopted", RequestState.RUNNING);
    Child agent = stack.processes().child("agent-" + running.host());
    long killed = agent.pid().orElseThrow();

    agent.kill();
    agent.awaitAnother(killed, StatusLog.PATIENCE);
    gate.open();

    RequestStatus end = stack.statuses().awaitEnd("adopted");
    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.attempt()).isEqualTo(1);
    assertThat(end.exitCode()).isEqualTo(7);
    nothingIsLeftOnTheNode();
  }

  @Test
  void whatTheNodeDoesNotHaveIsNamed() {
    stack.post(
        Posted.bare("absent")
            .with("command", List.of("no-such-program"))
            .with("resources", Map.of("type", "ssh")));

    RequestStatus end = stack.statuses().awaitEnd("absent");
    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.reason())
        .contains("program no-such-program was not found on the path of worker@");
  }
}
