package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.Home;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.TopicLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stack whose Kafka has TLS, logins and rights: nothing else is different for who uses it. */
@BesideTheSharedStack
@Timeout(600)
class SecureStackTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static StokerStack stack;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    stack =
        StokerStack.start(
            "secure",
            StokerStack.twoOfEach()
                .withSecure(true)
                .withDispatcherEnvironment(Map.of("STOKER_STATUS_TOPICS", "per-queue")));
  }

  @AfterAll
  static void stop() throws Exception {
    stack.close();
  }

  /** The settings of the command line's user with a password that is not theirs. */
  private Path refused() throws IOException {
    String own = Files.readString(Path.of(stack.processes().info().kafkaConfig()));
    String wrong = own.replaceAll("password\\\\=\"[^\"]*\"", "password=\"wrong\"");
    assertThat(wrong).isNotEqualTo(own);
    return Files.writeString(folder.resolve("client.properties"), wrong);
  }

  private static RequestStatus status(ConsumerRecord<String, byte[]> record) {
    try {
      return Json.read(record.value(), RequestStatus.class);
    } catch (MalformedJson e) {
      throw new AssertionError("a dispatcher wrote what nobody can read", e);
    }
  }

  private static boolean isItsEnd(RequestStatus status) {
    return status.id().equals("secure-own") && status.state() == RequestState.SUCCEEDED;
  }

  private Stoker stoker(Map<String, String> variables) {
    return new Stoker(stack.data().root(), folder, variables);
  }

  @Test
  void requests_postedToKafka_runShareAndDepend() {
    Posted first = Posted.script("secure-a", "sleep 1; echo '#stoker:result 0.5'");
    stack.post(
        first, first.as("secure-b"), Posted.script("secure-c", "true").dependingOn("secure-b"));

    RequestStatus one = stack.statuses().awaitEnd("secure-a");
    RequestStatus same = stack.statuses().awaitEnd("secure-b");
    assertThat(one.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(same.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(same.job()).isEqualTo(one.job());
    assertThat(stack.statuses().awaitEnd("secure-c").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void job_ofAPool_isDoneByAWorker() {
    stack.post(
        Posted.bare("secure-pool").with("workers", StokerStack.POOL).with("params", Map.of()));

    assertThat(stack.statuses().awaitEnd("secure-pool").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void commands_withoutAnyMoreWords_workAsOnAnyStack() throws Exception {
    Stoker stoker = stoker(Map.of());
    Ended ran = stoker.run("run", "--", "sh", "-c", "echo hello; exit 3");
    assertThat(ran.exitCode()).as(ran.err()).isEqualTo(3);
    assertThat(ran.out()).isEqualTo("hello\n");

    String requests =
        "{\"id\":\"secure-one\",\"command\":[\"echo\",\"said\"]}\n"
            + "{\"id\":\"secure-two\",\"command\":[\"true\"]}\n";
    Ended submitted = stoker.runWithInput(requests, "submit", "-", "--wait");
    assertThat(submitted.exitCode()).as(submitted.err()).isZero();
    assertThat(stoker.run("logs", "secure-one").out()).isEqualTo("said\n");

    stack.post(Posted.script("secure-long", "sleep 600"));
    stack.statuses().await("secure-long", RequestState.RUNNING);
    assertThat(stoker.run("cancel", "secure-long").exitCode()).isZero();
    assertThat(stack.statuses().awaitEnd("secure-long").state()).isEqualTo(RequestState.CANCELLED);

    assertThat(stoker.run("hosts").out()).contains("host-1", "host-2");
    Ended doctor = stoker.run("doctor");
    assertThat(doctor.out()).contains("broker(s) behind", "topics: all ");
  }

  /** By the rights that the stack gave them. */
  @Test
  void dispatchers_writeQueuesOwnStatusesAndWhatWasChanged() throws Exception {
    stack.post(Posted.script("secure-own", "true"));
    stack.statuses().awaitEnd("secure-own");
    try (TopicLog<RequestStatus> own =
        new TopicLog<>(
            stack.processes().info().kafka(),
            stack.topics().status("default"),
            SecureStackTest::status)) {
      own.await(
          PATIENCE,
          all -> all.stream().anyMatch(SecureStackTest::isItsEnd) ? true : null,
          () -> "the end of secure-own is not on its queue's topic");
    }

    stoker(Map.of()).run("cancel", "secure-own");
    await("the audit log")
        .atMost(PATIENCE)
        .until(() -> stoker(Map.of()).run("audit").out().contains("/requests/secure-own"));
  }

  @Test
  void doctor_ofAUserWhoIsRefused_saysSo() throws Exception {
    Ended doctor = stoker(Map.of("STOKER_KAFKA_CONFIG", refused().toString())).run("doctor");

    assertThat(doctor.exitCode()).isEqualTo(1);
    assertThat(doctor.out()).contains("login refused by", "as user stoker-admin", "chmod 600");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dispatcher", "agent"})
  void service_whoseLoginIsRefused_saysSoAndTriesOn(String service) throws Exception {
    Home home = new Home(Checkout.root());
    boolean agent = service.equals("agent");
    Path jar = agent ? home.agentJar() : home.dispatcherJar();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                "-Dstoker.kafka.bootstrap-servers=" + stack.processes().info().bootstrap(),
                "-Dstoker.kafka.config=" + refused(),
                agent
                    ? "-Dstoker.agent.data=" + folder.resolve("data")
                    : "-Dstoker.postgres.url=postgresql://127.0.0.1:1/none",
                "-Dquarkus.http.port=0",
                "-jar",
                jar.toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader output = process.inputReader()) {
      String said =
          output.lines().filter(line -> line.contains("login refused")).findFirst().orElse("");
      assertThat(said)
          .contains("login refused by " + stack.processes().info().bootstrap())
          .contains("as user stoker-admin (SASL SCRAM-SHA-512)");
      assertThat(process.isAlive()).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void acls_ofAHost_areLinesOfKafkasOwnTool() throws Exception {
    Ended acls = stoker(Map.of()).run("acls", "--host", "gpu-box-7", "--apply");

    assertThat(acls.exitCode()).as(acls.err()).isZero();
    List<String> lines = acls.out().lines().toList();
    assertThat(lines).hasSize(5);
    assertThat(lines.getFirst())
        .startsWith("kafka-acls --bootstrap-server")
        .endsWith(
            "--add --allow-principal 'User:stoker-host-gpu-box-7' --operation read --topic"
                + " 'stoker.placements.gpu-box-7'");
  }
}
