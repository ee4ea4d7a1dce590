package io.stoker.cli.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Role;
import io.stoker.cli.local.StackInfo;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.topics.TopicCreator;
import io.stoker.cli.topics.TopicCreator.Altered;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One stack of Kafka, Postgres and Redis for all tests: each leaves it serving. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("EmbeddedStackTest") // one test after the other
class EmbeddedStackTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir static Path folder;

  private static DataFolder data;
  private static EmbeddedStack stack;

  @BeforeAll
  static void start() throws Exception {
    data = new DataFolder(folder.resolve("data"));
    stack = EmbeddedStack.start(data, StackOptions.BACKENDS_ONLY);
  }

  @AfterAll
  static void stop() throws Exception {
    stack.close();
  }

  @Test
  void topicsAreThereAsTheDesignLaysThemOut() throws Exception {
    try (Admin admin = admin()) {
      Map<String, Integer> partitions =
          admin
              .describeTopics(admin.listTopics().names().get())
              .allTopicNames()
              .get()
              .values()
              .stream()
              .collect(Collectors.toMap(topic -> topic.name(), topic -> topic.partitions().size()));

      assertThat(partitions)
          .containsExactlyInAnyOrderEntriesOf(
              Map.of(
                  "stoker.requests", 4,
                  "stoker.audit", 1,
                  "stoker.control", 1,
                  "stoker.events", 4,
                  "stoker.heartbeats", 1,
                  "stoker.status", 4,
                  "stoker.logs", 4,
                  "stoker.dead-letters", 1));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "stoker.status, cleanup.policy, compact",
    "stoker.heartbeats, cleanup.policy, compact",
    "stoker.requests, cleanup.policy, delete",
    // So that ten megabytes end in a dead letter with a reason, not in a producer's error alone.
    "stoker.requests, max.message.bytes, 16777216",
    "stoker.requests, compression.type, uncompressed"
  })
  void topicsKeepWhatTheyShould(String topic, String setting, String expected) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin = admin()) {
      assertThat(
              admin
                  .describeConfigs(Set.of(resource))
                  .all()
                  .get()
                  .get(resource)
                  .get(setting)
                  .value())
          .isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({"stoker.requests, 20", "stoker.control, 2", "stoker.events, 2"})
  void aRecordThatIsSmallOnlyWhileItIsZippedIsRefused(String topic, int mib) throws Exception {
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            stack.info().bootstrap(),
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            "gzip",
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
            32 << 20,
            ProducerConfig.BUFFER_MEMORY_CONFIG,
            64L << 20);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      assertThatThrownBy(
              () -> producer.send(new ProducerRecord<>(topic, new byte[mib << 20])).get())
          .hasCauseInstanceOf(RecordTooLargeException.class);
    }
  }

  @Test
  void creatingTopicsAgainMakesNone() throws Exception {
    assertThat(
            TopicCreator.create(
                stack.info().kafka(),
                new Topics(Topics.DEFAULT_PREFIX).layouts(),
                Replication.DEFAULT,
                PATIENCE))
        .isEmpty();
  }

  @Test
  void topicsThatTakeZippedRecords_areMendedAndTold_thoseOfQueuesToo() throws Exception {
    Topics layout = new Topics("earlier.");
    List<String> queues = List.of("night");
    try (Admin admin = admin()) {
      TopicCreator.create(
          stack.info().kafka(), layout.layouts(queues), Replication.DEFAULT, PATIENCE);
      Map<String, String> before =
          Map.of(
              "earlier.requests.night", "gzip",
              "earlier.events", "producer",
              "earlier.logs", "gzip");
      admin
          .incrementalAlterConfigs(
              before.entrySet().stream()
                  .collect(
                      Collectors.toMap(
                          topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.getKey()),
                          topic ->
                              List.of(
                                  new AlterConfigOp(
                                      new ConfigEntry("compression.type", topic.getValue()),
                                      AlterConfigOp.OpType.SET)))))
          .all()
          .get();
      // The controller has it at once, and the broker that is asked a moment later.
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                for (Map.Entry<String, String> one : before.entrySet()) {
                  topicsKeepWhatTheyShould(one.getKey(), "compression.type", one.getValue());
                }
              });

      assertThat(TopicCreator.mend(stack.info().kafka(), layout, PATIENCE))
          .containsExactly(
              new Altered("earlier.events", "compression.type", "uncompressed", "producer"),
              new Altered("earlier.requests.night", "compression.type", "uncompressed", "gzip"));
      await()
          .atMost(PATIENCE)
          .until(() -> TopicCreator.mend(stack.info().kafka(), layout, PATIENCE).isEmpty());
      topicsKeepWhatTheyShould("earlier.logs", "compression.type", "gzip");
    } finally {
      delete("earlier.");
    }
  }

  /** Until the broker tells nobody of them: other tests look at all topics. */
  private static void delete(String prefix) {
    try (Admin admin = admin()) {
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                Set<String> left =
                    admin.listTopics().names().get().stream()
                        .filter(topic -> topic.startsWith(prefix))
                        .collect(Collectors.toSet());
                admin.deleteTopics(left);
                return left.isEmpty();
              });
    }
  }

  @ParameterizedTest
  @CsvSource({"fsync, on", "synchronous_commit, on", "data_checksums, on", "full_page_writes, on"})
  void postgresIsDurable(String setting, String expected) throws SQLException {
    assertThat(query("show " + setting)).isEqualTo(expected);
  }

  /** Which is random: the rounds would take each client's time, and nobody else's. */
  @Test
  void postgresAsksForOneRoundOfItsPassword() throws SQLException {
    assertThat(query("select rolpassword from pg_authid where rolname = 'stoker'"))
        .startsWith("SCRAM-SHA-256$1:");
  }

  @Test
  void nobodyEntersPostgresWithoutThePassword() {
    assertThatThrownBy(() -> connect("wrong").close())
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("password authentication failed");
  }

  @Test
  void aSecondStackOnTheSameDataSaysWhoHasIt() {
    assertThatThrownBy(() -> EmbeddedStack.start(data, StackOptions.BACKENDS_ONLY))
        .isInstanceOf(StackBusyException.class)
        .hasMessageContaining(data.toString())
        .hasMessageContaining("pid " + ProcessHandle.current().pid())
        .hasMessageContaining(stack.info().bootstrap());
  }

  @ParameterizedTest
  @ValueSource(strings = {"kafka", "postgres", "redis"})
  void aKilledChildComesBackAtTheSameAddress(String name) throws Exception {
    StackInfo before = stack.info();
    Child child = stack.child(name);
    long killed = child.pid().orElseThrow();

    child.kill();
    long next = child.awaitAnother(killed, PATIENCE);
    stack.awaitServing(child, PATIENCE);

    assertThat(pids(stack.info(), child.spec().role()))
        .isNotEqualTo(pids(before, child.spec().role()));
    assertThat(pids(stack.info(), child.spec().role())).contains(child.pid().orElse(next));
    assertThat(stack.info().bootstrap()).isEqualTo(before.bootstrap());
    assertThat(stack.info().postgres()).isEqualTo(before.postgres());
    assertThat(stack.info().redis()).isEqualTo(before.redis());
  }

  @Test
  void redisTakesNobodyWithoutThePasswordWhichNoCommandLineShows() throws Exception {
    URI redis = URI.create(stack.info().redis());
    String password = redis.getUserInfo().substring(1);
    try (Socket socket = new Socket(redis.getHost(), redis.getPort())) {
      socket.getOutputStream().write("KEYS *\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("-NOAUTH");
    }
    Path file = data.workFolder("redis").resolve("redis.conf");
    assertThat(file).content().contains(password);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    long pid = stack.child("redis").pid().orElseThrow();
    assertThat(Files.readString(Path.of("/proc/" + pid + "/cmdline"))).doesNotContain(password);
  }

  private static Set<Long> pids(StackInfo info, Role role) {
    StackInfo.Pids pids = info.pids();
    return Set.copyOf(
        switch (role) {
          case KAFKA -> pids.kafka();
          case POSTGRES -> pids.postgres();
          case REDIS -> pids.redis();
          case DISPATCHER -> pids.dispatcher();
          case AGENT -> pids.agent();
        });
  }

  private static Admin admin() {
    return Admin.create(
        Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, stack.info().bootstrap()));
  }

  private static String query(String sql) throws SQLException {
    String password = stack.info().postgres().replaceFirst(".*://stoker:([^@]*)@.*", "$1");
    try (Connection connection = connect(password);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  private static Connection connect(String password) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/stoker".formatted(stack.port("postgres")),
        "stoker",
        password);
  }
}
