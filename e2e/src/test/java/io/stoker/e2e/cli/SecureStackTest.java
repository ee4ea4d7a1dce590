package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.Home;
import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.TopicLog;
import io.stoker.kafka.KafkaAccess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is peculiar to a stack whose Kafka has TLS, logins and rights, and whose REST has tokens.
 * All else is as on any stack, which the other tests on the {@link SharedStack} show.
 */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class SecureStackTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE;

  @TempDir Path folder;

  private final StokerStack stack;

  SecureStackTest(StokerStack stack) {
    this.stack = stack;
  }

  /** The settings of the command line's user, as another one. */
  private Path as(String user, String password) throws IOException {
    String own = Files.readString(Path.of(stack.processes().info().kafkaConfig()));
    String other =
        own.replaceAll("username\\\\=\"[^\"]*\"", "username=\"" + user + "\"")
            .replaceAll("password\\\\=\"[^\"]*\"", "password=\"" + password + "\"");
    assertThat(other).isNotEqualTo(own);
    return Files.writeString(folder.resolve(user + ".properties"), other);
  }

  private Path refused() throws IOException {
    return as("stoker-admin", "wrong");
  }

  private static RequestStatus status(ConsumerRecord<String, byte[]> record) {
    try {
      return Json.read(record.value(), RequestStatus.class);
    } catch (MalformedJson e) {
      throw new AssertionError("a dispatcher wrote what nobody can read", e);
    }
  }

  private Stoker stoker(Map<String, String> variables) {
    return new Stoker(stack.data().root(), folder, variables);
  }

  @Test
  void rest_withoutTheToken_isRefused() throws Exception {
    Ended listed = stoker(Map.of("STOKER_URL", stack.processes().info().url())).run("list");

    assertThat(listed.exitCode()).isEqualTo(2);
    assertThat(listed.err()).contains("401", "STOKER_TOKEN");
    assertThat(stoker(Map.of()).run("list").exitCode()).isZero();
    assertThat(stoker(Map.of()).run("info").out()).contains("token     in " + stack.data().root());
  }

  @ParameterizedTest
  @ValueSource(strings = {"process", "intake"})
  void bench_ofIt_measures(String workload) throws Exception {
    Ended bench =
        stoker(Map.of())
            .run("bench", "--workload", workload, "--jobs", "20", "--warm-up", "0", "--json");

    assertThat(bench.exitCode()).as(bench.err()).isZero();
    assertThat(Json.read(bench.out()).path("perSecond").asDouble()).isPositive();
  }

  @Test
  void doctor_ofItsUser_findsItsBrokerAndTopics() throws Exception {
    assertThat(stoker(Map.of()).run("doctor").out()).contains("broker(s) behind", "topics: all ");
  }

  /** As a team has it that may use one queue. */
  @Test
  void login_ofAQueue_readsItsOwnStatusesAndNobodyElses() throws Exception {
    stack.post(
        Posted.script("secure-own", "true").with("queue", "secure"),
        Posted.script("secure-other", "true").with("queue", "secured"));
    stack.statuses().awaitEnd("secure-own");
    stack.statuses().awaitEnd("secure-other");
    KafkaAccess admin = stack.processes().info().kafka();
    try (Admin client = admin.admin(Map.of())) {
      ScramCredentialInfo how = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4_096);
      client
          .alterUserScramCredentials(List.of(new UserScramCredentialUpsertion("team", how, "pw")))
          .all()
          .get();
    }
    Ended acls =
        stoker(Map.of()).run("acls", "--queue", "secure", "--principal", "User:team", "--apply");
    assertThat(acls.exitCode()).as(acls.err()).isZero();

    KafkaAccess team =
        KafkaAccess.ofEnvironment(
            Map.of("STOKER_KAFKA_CONFIG", as("team", "pw").toString()), Optional.empty());
    try (TopicLog<RequestStatus> own =
        await("the login and its right to be known to the broker")
            .atMost(PATIENCE)
            .ignoreExceptionsInstanceOf(ApiException.class)
            .until(
                () ->
                    new TopicLog<>(team, stack.topics().status("secure"), SecureStackTest::status),
                Objects::nonNull)) {
      own.await(
          PATIENCE,
          all -> all.stream().anyMatch(SecureStackTest::isItsEnd) ? true : null,
          () -> "the end of secure-own is not on its queue's topic");
    }
    for (String other : List.of(stack.topics().status(), stack.topics().status("secured"))) {
      assertThatThrownBy(() -> new TopicLog<>(team, other, SecureStackTest::status))
          .isInstanceOf(TopicAuthorizationException.class)
          .hasMessageContaining(other);
    }
  }

  private static boolean isItsEnd(RequestStatus status) {
    return status.id().equals("secure-own") && status.state() == RequestState.SUCCEEDED;
  }

  @ParameterizedTest
  @EnumSource(names = {"CREATE", "WRITE"})
  void queue_toWhoseTopicDispatchersHaveNoRight_isToldOfOnTheOneOfAll(AclOperation right)
      throws Exception {
    String queue = "denied-" + right.name().toLowerCase(Locale.ROOT);
    String topic = stack.topics().status(queue);
    AclBinding denial =
        new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
            new AccessControlEntry("User:stoker-dispatcher", "*", right, AclPermissionType.DENY));
    List<Child> dispatchers =
        right == AclOperation.CREATE ? stack.processes().children(Role.DISPATCHER) : List.of();
    try (Admin admin = stack.processes().info().kafka().admin(Map.of())) {
      try {
        dispatchers.parallelStream().forEach(Child::stop);
        if (right == AclOperation.CREATE) {
          admin.deleteTopics(List.of(topic)).all().get();
        }
        admin.createAcls(List.of(denial)).all().get();
        await("the denial").atMost(PATIENCE).until(() -> !found(admin, denial).isEmpty());
        dispatchers.forEach(Child::start);
        for (Child dispatcher : dispatchers) {
          stack.processes().awaitServing(dispatcher, PATIENCE);
        }
        stack.post(
            Posted.script(queue, "true").with("queue", queue),
            Posted.script("not-" + queue, "true"));
        stack.statuses().awaitEnd(queue);
        stack.statuses().awaitEnd("not-" + queue);
        await("the doctor")
            .atMost(PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(stoker(Map.of()).run("doctor").out().lines())
                        .anyMatch(
                            line ->
                                line.contains(topic)
                                    && line.contains("user stoker-dispatcher")
                                    && line.contains("has no right")));
      } finally {
        dispatchers.forEach(Child::start);
        admin.deleteAcls(List.of(denial.toFilter())).all().get();
      }
    }
    AtomicInteger tried = new AtomicInteger();
    await("its topic, once it may be written to")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              String id = queue + tried.incrementAndGet();
              stack.post(Posted.script(id, "true").with("queue", queue));
              stack.statuses().awaitEnd(id);
              assertThat(isWritten(topic)).isTrue();
            });
  }

  /** Whether there is anything on it. */
  private boolean isWritten(String topic) throws Exception {
    try (Admin admin = stack.processes().info().kafka().admin(Map.of())) {
      Map<TopicPartition, OffsetSpec> ends =
          admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get()
              .get(topic)
              .partitions()
              .stream()
              .collect(
                  Collectors.toMap(
                      one -> new TopicPartition(topic, one.partition()),
                      one -> OffsetSpec.latest()));
      return admin.listOffsets(ends).all().get().values().stream().anyMatch(at -> at.offset() > 0);
    } catch (ExecutionException e) {
      return false; // not made yet
    }
  }

  private static Collection<AclBinding> found(Admin admin, AclBinding one) throws Exception {
    return admin.describeAcls(one.toFilter()).values().get();
  }

  /** By the rights that the stack gave them. */
  @Test
  void dispatchers_writeWhatWasChanged() throws Exception {
    stack.post(Posted.script("secure-changed", "true"));
    stack.statuses().awaitEnd("secure-changed");
    stoker(Map.of()).run("cancel", "secure-changed");

    await("the audit log")
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(stoker(Map.of()).run("audit", "--who", "stoker-admin").out())
                    .contains("/requests/secure-changed"));
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
