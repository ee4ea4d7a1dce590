package io.stoker.cli.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.command.Connection;
import io.stoker.cli.kafka.RecordWriter;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.child.Readiness;
import io.stoker.cli.topics.Rights;
import io.stoker.common.topic.Topics;
import io.stoker.common.topic.Topics.Layout;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A secure stack's broker, with Kafka's own authorizer: who gets in, and who may do what. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class SecureKafkaTest {
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  /** What every row below tells of, in its order. */
  private static final List<String> ALL =
      List.of(
          TOPICS.requests(),
          TOPICS.requests("a"),
          TOPICS.requests("b"),
          TOPICS.control(),
          TOPICS.placements("a"),
          TOPICS.placements("b"),
          TOPICS.events(),
          TOPICS.heartbeats(),
          TOPICS.status(),
          TOPICS.status("a"),
          TOPICS.status("b"),
          TOPICS.logs(),
          TOPICS.deadLetters(),
          TOPICS.audit(),
          "others");

  @TempDir static Path folder;

  private static EmbeddedStack stack;

  @BeforeAll
  static void start() throws Exception {
    stack =
        EmbeddedStack.start(
            new DataFolder(folder.resolve("data")), StackOptions.BACKENDS_ONLY.withSecure(true));
    try (Admin admin = stack.info().kafka().admin(Map.of())) {
      Stream<String> made =
          Stream.of(
              TOPICS.requests("a"),
              TOPICS.requests("b"),
              TOPICS.placements("a"),
              TOPICS.placements("b"),
              TOPICS.status("a"),
              TOPICS.status("b"),
              "others");
      admin.createTopics(made.map(name -> new NewTopic(name, 1, (short) 1)).toList()).all().get();
      Rights rights = new Rights(TOPICS);
      List<AclBinding> all = new ArrayList<>(rights.dispatcher("User:dispatcher", "stoker-d"));
      all.addAll(rights.host("User:host", "a"));
      all.addAll(rights.queue("User:queue", "a", Optional.empty()));
      all.addAll(rights.producer("User:producer"));
      all.addAll(rights.consumer("User:consumer", Optional.of("mine")));
      admin.createAcls(all).all().get();
      admin
          .alterUserScramCredentials(
              Stream.of("dispatcher", "host", "queue", "producer", "consumer", "stranger")
                  .map(SecureKafkaTest::user)
                  .toList())
          .all()
          .get();
    }
    // The controller has answered; the broker acts on all of it once the last of it is known there.
    Readiness.await(stack.child("kafka"), SecureKafkaTest::strangerGetsIn, Duration.ofSeconds(120));
    try (KafkaProducer<byte[], byte[]> producer = producer(stack.info().kafka())) {
      for (String topic : ALL) {
        producer.send(new ProducerRecord<>(topic, 0, new byte[1], new byte[1])).get();
      }
    }
  }

  private static void strangerGetsIn() throws Exception {
    KafkaAccess access =
        access(Map.of("STOKER_KAFKA_SASL_JAAS_CONFIG", login("stranger", "stranger")));
    try (Admin admin = access.admin(Map.of())) {
      admin.describeCluster().nodes().get();
    }
  }

  @AfterAll
  static void stop() throws Exception {
    stack.close();
  }

  @ParameterizedTest
  @CsvSource({
    // requests, of a, of b, control, placements of a, of b, events, heartbeats, status, of a, of b,
    // logs, dead letters, audit, what is none of Stoker's
    "dispatcher, rw rw rw rw -w -w r- r- rw rw rw r- -w -w --",
    "host,       -- -- -- -- r- -- -w -w -- -- -- -w -w -- --",
    "queue,      -- -w -- -- -- -- -- -- -- r- -- -- -- -- --",
    "producer,   -w -- -- -- -- -- -- -- -- -- -- -- -- -- --",
    "consumer,   -- -- -- -- -- -- -- -- r- -- -- r- r- -- --",
    "stranger,   -- -- -- -- -- -- -- -- -- -- -- -- -- -- --"
  })
  void rights_ofARole_areThoseOfItsRow(String role, String row) throws Exception {
    KafkaAccess access = access(Map.of("STOKER_KAFKA_SASL_JAAS_CONFIG", login(role, role)));
    List<String> may = new ArrayList<>();
    try (KafkaProducer<byte[], byte[]> producer = producer(access)) {
      for (String topic : ALL) {
        may.add((reads(access, topic) ? "r" : "-") + (writes(producer, topic) ? "w" : "-"));
      }
    }
    assertThat(String.join(" ", may)).isEqualTo(row);
  }

  @Test
  void rows_haveEveryTopicThatIsCreated() {
    assertThat(ALL).containsAll(TOPICS.layouts().stream().map(Layout::name).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "dispatcher, stoker-d-events, true",
    "dispatcher, mine, false",
    "consumer, mine-1, true",
    "consumer, stoker-d, false",
    "host, stoker-d, false"
  })
  void rights_toAGroup_areOfItsPrefix(String role, String group, boolean may) {
    KafkaAccess access = access(Map.of("STOKER_KAFKA_SASL_JAAS_CONFIG", login(role, role)));
    try (Admin admin = access.admin(Map.of())) {
      assertThat(is(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()::get))
          .isEqualTo(may);
    }
  }

  @ParameterizedTest
  @CsvSource({"dispatcher, true", "host, false", "producer, false"})
  void rights_toMakeTopicsOfHostsAndQueues_areTheDispatchers(String role, boolean may) {
    KafkaAccess access = access(Map.of("STOKER_KAFKA_SASL_JAAS_CONFIG", login(role, role)));
    String made = "made-by-" + role;
    try (Admin admin = access.admin(Map.of())) {
      for (String name : List.of(TOPICS.placements(made), TOPICS.status(made))) {
        NewTopic topic = new NewTopic(name, 1, (short) 1);
        assertThat(is(admin.createTopics(List.of(topic)).all()::get)).as(name).isEqualTo(may);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "STOKER_KAFKA_SASL_MECHANISM | PLAIN | takes logins by SASL SCRAM-SHA-512",
        "STOKER_KAFKA_SECURITY_PROTOCOL | SSL | wants a login (SASL SCRAM-SHA-512)",
        "STOKER_KAFKA_SECURITY_PROTOCOL | PLAINTEXT | speaks TLS, this client does not",
        "STOKER_KAFKA_SECURITY_PROTOCOL | SASL_PLAINTEXT | speaks TLS, this client does not"
      })
  void connection_ofOtherSpeech_isRefusedBeforeThereAreClients(
      String variable, String value, String sentence) {
    assertThatThrownBy(() -> connection(Map.of(variable, value)).kafka())
        .isInstanceOf(CliException.class)
        .hasMessageContaining("the broker at " + stack.info().bootstrap())
        .hasMessageContaining(sentence);
  }

  @Test
  void writing_withAWrongPassword_saysWhoWasRefusedWhere() {
    KafkaAccess access =
        access(Map.of("STOKER_KAFKA_SASL_JAAS_CONFIG", login("stoker-admin", "wrong")));
    assertThatThrownBy(() -> write(access))
        .hasMessage(
            "login refused by %s as user stoker-admin (SASL SCRAM-SHA-512)"
                .formatted(stack.info().bootstrap()));
  }

  @Test
  void writing_toABrokerThatIsNotTrusted_saysSo() throws IOException {
    Path settings = folder.resolve("trusts-nobody.properties");
    String all = Files.readString(Path.of(stack.info().kafkaConfig()));
    Files.writeString(settings, all.replaceAll("(?m)^ssl\\.truststore.*$", ""));
    KafkaAccess access = access(Map.of("STOKER_KAFKA_CONFIG", settings.toString()));
    assertThatThrownBy(() -> write(access))
        .hasMessageContaining("the certificate of " + stack.info().bootstrap())
        .hasMessageContaining("is not trusted");
  }

  @Test
  void writing_withoutTheRight_namesItAndWhoLacksIt() {
    KafkaAccess access = access(Map.of("STOKER_KAFKA_SASL_JAAS_CONFIG", login("host", "host")));
    assertThatThrownBy(() -> write(access))
        .hasMessageContaining("user host (SASL SCRAM-SHA-512)")
        .hasMessageContaining("has no right")
        .hasMessageContaining(TOPICS.requests());
  }

  @Test
  void files_thatHoldPasswords_areTheirOwnersAlone() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("data/secure"))) {
      assertThat(files.filter(file -> !file.endsWith("ca.pem")))
          .isNotEmpty()
          .allSatisfy(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .isEqualTo("rw-------"));
    }
  }

  private static void write(KafkaAccess access) {
    try (RecordWriter writer = new RecordWriter(access, TOPICS.requests(), 0)) {
      writer.send("key", new byte[1]);
      writer.flush();
    }
  }

  private static Connection connection(Map<String, String> variables) {
    Map<String, String> all = new HashMap<>();
    all.put("STOKER_BOOTSTRAP", stack.info().bootstrap());
    all.put("STOKER_KAFKA_CONFIG", stack.info().kafkaConfig());
    all.putAll(variables);
    return new Connection(stack.data(), all);
  }

  private static KafkaAccess access(Map<String, String> variables) {
    return connection(variables).access();
  }

  private static String login(String user, String password) {
    return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
        .formatted(user, password);
  }

  private static UserScramCredentialAlteration user(String name) {
    return new UserScramCredentialUpsertion(
        name, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4_096), name);
  }

  private static KafkaProducer<byte[], byte[]> producer(KafkaAccess access) {
    // Without it a producer asks for the right to a number of its own first, whatever the topic.
    return access.producer(
        Map.of("enable.idempotence", false), new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static boolean writes(KafkaProducer<byte[], byte[]> producer, String topic) {
    return is(producer.send(new ProducerRecord<>(topic, 0, new byte[1], new byte[1]))::get);
  }

  private static boolean reads(KafkaAccess access, String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        access.consumer(
            Map.of("enable.auto.commit", false),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seek(partition, 0);
      while (consumer.poll(Duration.ofSeconds(1)).isEmpty()) {
        assertThat(consumer.assignment()).isNotEmpty();
      }
      return true;
    } catch (AuthorizationException e) {
      return false;
    }
  }

  private interface Tried {
    Object call() throws ExecutionException, InterruptedException;
  }

  private static boolean is(Tried tried) {
    try {
      tried.call();
      return true;
    } catch (ExecutionException e) {
      assertThat(e.getCause()).isInstanceOf(AuthorizationException.class);
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
