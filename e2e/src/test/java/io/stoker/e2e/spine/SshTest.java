package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.aws.Ec2Server;
import io.stoker.agent.ssh.TestSshd;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.OutputLog;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Jobs of types ssh and aws from Kafka to a machine without an agent and back, through cut links
 * and the death of the agent. EC2 is a server here that speaks its protocol; its instance is an SSH
 * server, as the node is.
 *
 * <p>Those tests run one after the other which say how the instance is to be meanwhile: another's
 * job on it keeps it running, and an agent that starts stops it while it knows of no job there.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(1_200)
@BesideTheSharedStack
class SshTest {
  private static final String INSTANCE = "i-0a1b2c3d";

  @TempDir static Path folder;
  private StokerStack stack;
  private TestSshd node;
  private TestSshd instance;
  private Ec2Server ec2;

  @BeforeAll
  void start() throws Exception {
    node = new TestSshd(folder);
    Files.writeString(
        folder.resolve("nodes"),
        "%s@127.0.0.1:%d %s gpus=4,7 gpu-memory=24GiB\n"
            .formatted(TestSshd.USER, node.port(), node.key));
    instance = new TestSshd(Files.createDirectory(folder.resolve("cloud")));
    Files.writeString(
        folder.resolve("instances"),
        "%s@%s:%d %s\n".formatted(TestSshd.USER, INSTANCE, instance.port(), instance.key));
    ec2 = new Ec2Server();
    ec2.put(INSTANCE, "stopped");
    ec2.holdStarts().close(); // from now on what is started is pending until a test has it run
    Map<String, String> agent = new HashMap<>(StokerStack.WITHOUT_GPUS);
    agent.put("STOKER_AGENT_RUNNERS_TYPES", "cpu,ssh,aws");
    agent.putAll(runner("SSH"));
    agent.put("STOKER_AGENT_RUNNERS_SSH_KNOWN_HOSTS", node.knownHosts.toString());
    agent.putAll(runner("AWS"));
    agent.put("STOKER_AGENT_RUNNERS_AWS_KNOWN_HOSTS", folder.resolve("instances-keys").toString());
    agent.put("STOKER_AGENT_RUNNERS_AWS_UNKNOWN_HOSTS", "accept-new");
    agent.put("STOKER_AGENT_RUNNERS_AWS_TRIES", "600");
    agent.put("STOKER_AGENT_RUNNERS_AWS_TRY_EVERY", "200ms");
    agent.put("STOKER_AGENT_RUNNERS_AWS_SHUTDOWN", "true");
    agent.put("STOKER_AGENT_RUNNERS_AWS_REGION", "eu-central-1");
    agent.put("STOKER_AGENT_RUNNERS_AWS_ENDPOINT", ec2.endpoint().toString());
    agent.put("AWS_ACCESS_KEY_ID", "test");
    agent.put("AWS_SECRET_ACCESS_KEY", "test");
    stack = StokerStack.start("ssh", StackOptions.DEFAULT.withHosts(1).withAgentEnvironment(agent));
  }

  private static Map<String, String> runner(String type) {
    String prefix = "STOKER_AGENT_RUNNERS_" + type;
    return Map.of(
        prefix + "_FOLDER", folder.toString(),
        prefix + "_PER_NODE", "2",
        prefix + "_FOLLOW_EVERY", "200ms",
        prefix + "_LOOK_EVERY", "200ms");
  }

  @AfterAll
  void stop() throws IOException {
    stack.close();
    ec2.close();
    instance.close();
    node.close();
  }

  private static Posted far(String id, String script) {
    return Posted.script(id, script).with("resources", Map.of("type", "ssh"));
  }

  private static Posted onAnInstance(String id, String script) {
    return Posted.script(id, script).with("resources", Map.of("type", "aws"));
  }

  private static void nothingIsLeftOn(TestSshd machine) {
    await("the run folders to be removed")
        .atMost(StatusLog.PATIENCE)
        .until(() -> !Files.exists(machine.runs()) || list(machine.runs()).isEmpty());
  }

  private static List<Path> list(Path where) throws IOException {
    try (Stream<Path> found = Files.list(where)) {
      return found.toList();
    }
  }

  private void theInstanceBecomes(String state) {
    await("instance " + INSTANCE + " to be " + state)
        .atMost(StatusLog.PATIENCE)
        .until(() -> ec2.state(INSTANCE).equals(state));
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD) // its only attempt must not begin while the agent is killed
  void cutInMidJobItGoesOnAndItsEndIsRight() throws Exception {
    Gate gate = Gate.in(folder, "cut");
    stack.post(far("cut", gate.await() + "echo '#stoker:result 42'; exit 0"));
    stack.statuses().await("cut", RequestState.RUNNING);
    int logins = node.logins.get();

    node.cut();
    await("it to be followed again")
        .atMost(StatusLog.PATIENCE)
        .until(() -> node.logins.get() > logins);
    node.stop();
    gate.open();
    node.start();

    RequestStatus end = stack.statuses().awaitEnd("cut");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(1);
    assertThat(end.exitCode()).isZero();
    assertThat(end.result().intValue()).isEqualTo(42);
    nothingIsLeftOn(node);
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
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
    nothingIsLeftOn(node);
  }

  @Test
  void jobsHaveGpusOfTheirNodeEachItsOwn() throws Exception {
    Gate gate = Gate.in(folder, "gpus");
    String script = gate.await() + "echo \"#stoker:result \\\"$CUDA_VISIBLE_DEVICES\\\"\"";
    stack.post(onGpus("gpu-a", 1, script), onGpus("gpu-b", 1, script));
    stack.statuses().await("gpu-a", RequestState.RUNNING);
    stack.statuses().await("gpu-b", RequestState.RUNNING);
    stack.post(onGpus("gpu-both", 2, script), onGpus("gpu-many", 3, script));
    await("the reason why it waits")
        .atMost(StatusLog.PATIENCE)
        .until(() -> explained("gpu-many").contains("a machine with 3 GPU(s) for type ssh"));
    gate.open();

    assertThat(
            List.of(
                stack.statuses().awaitEnd("gpu-a").result().asText(),
                stack.statuses().awaitEnd("gpu-b").result().asText()))
        .containsExactlyInAnyOrder("4", "7");
    assertThat(stack.statuses().awaitEnd("gpu-both").result().asText()).isEqualTo("4,7");
    cancel("gpu-many");
    assertThat(stack.statuses().awaitEnd("gpu-many").code()).isEqualTo(Code.CANCELLED);
  }

  @Test
  void aJobHasTheDeviceOfItsNodeThatItNamesAndTheMemoryThatItAsksFor() {
    String script = "echo \"#stoker:result \\\"$CUDA_VISIBLE_DEVICES\\\"\"";
    Map<String, Object> pinned =
        Map.of("type", "ssh", "gpus", 1, "device", "7", "gpuMemory", "24GiB");
    Map<String, Object> large = Map.of("type", "ssh", "gpus", 1, "gpuMemory", "40GiB");
    stack.post(
        onGpus("gpu-pinned", 1, script).with("resources", pinned),
        onGpus("gpu-large", 1, script).with("resources", large));

    assertThat(stack.statuses().awaitEnd("gpu-pinned").result().asText()).isEqualTo("7");
    await("the reason why it waits")
        .atMost(StatusLog.PATIENCE)
        .until(() -> explained("gpu-large").contains("1 GPU(s) of 40 GiB for type ssh"));
    assertThat(explained("gpu-large")).contains("the most that one is said to have is 24 GiB");
    cancel("gpu-large");
    assertThat(stack.statuses().awaitEnd("gpu-large").code()).isEqualTo(Code.CANCELLED);
  }

  private static Posted onGpus(String id, int gpus, String script) {
    return Posted.script(id, script)
        .with("resources", Map.of("type", "ssh", "gpus", gpus))
        .with("dedup", "always"); // they mean the same, and would share one run
  }

  private String explained(String id) {
    try (RestClient rest = stack.rest()) {
      return rest.get("/explain/" + id).toString();
    }
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

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void anInstanceIsStartedForAJobAndStoppedAfterIt() {
    int logins = instance.logins.get();
    stack.post(onAnInstance("cloud", "pwd; echo '#stoker:result 42'; echo done >&2"));

    theInstanceBecomes("pending");
    int looks = ec2.looks();
    await("it to be waited for").atMost(StatusLog.PATIENCE).until(() -> ec2.looks() > looks + 1);
    assertThat(instance.logins).hasValue(logins);
    assertThat(stack.statuses().seen("cloud"))
        .extracting(RequestStatus::state)
        .doesNotContain(RequestState.RUNNING);
    ec2.put(INSTANCE, "running");

    RequestStatus end = stack.statuses().awaitEnd("cloud");
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.exitCode()).isZero();
    assertThat(end.result().intValue()).isEqualTo(42);
    try (OutputLog outputs = stack.outputs()) {
      assertThat(outputs.await(end.job(), end.attempt()).lines())
          .anyMatch(line -> line.startsWith(instance.runs().toString()))
          .contains("done");
    }
    theInstanceBecomes("stopped");
    nothingIsLeftOn(instance);
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void anInstanceIsStoppedAfterAJobThatWasCancelled() throws Exception {
    Path pid = folder.resolve("cancelled-pid");
    String never = Gate.in(folder, "never").await();
    stack.post(onAnInstance("cloud-cancelled", "echo $$ >'" + pid + "'; " + never));
    theInstanceBecomes("pending");
    ec2.put(INSTANCE, "running");
    stack.statuses().await("cloud-cancelled", RequestState.RUNNING);
    await("its process").atMost(StatusLog.PATIENCE).until(() -> written(pid));
    ProcessHandle process =
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();

    cancel("cloud-cancelled");

    RequestStatus end = stack.statuses().awaitEnd("cloud-cancelled");
    assertThat(end.state()).isEqualTo(RequestState.CANCELLED);
    assertThat(end.code()).isEqualTo(Code.CANCELLED);
    await("its process to end").atMost(StatusLog.PATIENCE).until(() -> !process.isAlive());
    theInstanceBecomes("stopped");
    nothingIsLeftOn(instance);
  }

  private static boolean written(Path file) throws IOException {
    return Files.exists(file) && Files.readString(file).endsWith("\n");
  }

  private void cancel(String id) {
    ControlMessage message = new ControlMessage.Cancel("control-" + id, id, "changed my mind");
    stack.producer().send(new ProducerRecord<>(stack.topics().control(), id, Json.bytes(message)));
    stack.producer().flush();
  }
}
