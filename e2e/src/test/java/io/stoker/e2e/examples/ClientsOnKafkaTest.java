package io.stoker.e2e.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.topics.TopicCreator;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.state.RequestState;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.kafka.KafkaAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The example clients on a real broker, each where its runtime is there. */
@Timeout(1_200)
@BesideTheSharedStack
class ClientsOnKafkaTest {
  private static final Path CLIENTS = Checkout.examples().resolve("clients");

  @TempDir static Path shared;
  @TempDir Path folder;

  private static EmbeddedStack stack;
  private static String bootstrap;

  /** One kind of client. */
  enum Client {
    JAVA,
    PYTHON,
    KCAT;

    boolean isRunnable(Path folder) throws Exception {
      return switch (this) {
        case JAVA -> true;
        case PYTHON ->
            Program.exists("python3", "--version")
                && Program.of(folder, "python3", "-c", "import kafka").run().exitCode() == 0;
        case KCAT -> Program.exists("kcat", "-V");
      };
    }

    List<String> command(String what) {
      return switch (this) {
        case JAVA ->
            List.of(
                Program.javaCommand(),
                "-cp",
                System.getProperty("java.class.path"),
                CLIENTS.resolve("java").resolve(capital(what) + ".java").toString());
        case PYTHON ->
            List.of("python3", CLIENTS.resolve("python").resolve(what + ".py").toString());
        case KCAT -> List.of("sh", CLIENTS.resolve("kcat").resolve(what + ".sh").toString());
      };
    }

    private static String capital(String word) {
      return word.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + word.substring(1);
    }
  }

  @BeforeAll
  static void startKafka() throws Exception {
    stack = EmbeddedStack.start(new DataFolder(shared.resolve("data")), StackOptions.BACKENDS_ONLY);
    bootstrap = "127.0.0.1:" + stack.port("kafka");
    TopicCreator.create(
        KafkaAccess.at(bootstrap),
        new Topics(Topics.DEFAULT_PREFIX).layouts(),
        Replication.DEFAULT,
        Duration.ofSeconds(120));
  }

  @AfterAll
  static void stopKafka() throws Exception {
    if (stack != null) {
      stack.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void postsARequestThatIsUnderstood(Client client) throws Exception {
    assumeTrue(client.isRunnable(folder), client + " cannot run here");
    String id = "post-" + client;
    Program.Ended ended = run(client, "post", id, "sh", "-c", "echo \"hi\"");
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    assertThat(ended.out()).isEqualToIgnoringNewLines(id);
    JobRequest request =
        posted().stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
    assertThat(request.command()).containsExactly("sh", "-c", "echo \"hi\"");
  }

  @ParameterizedTest
  @EnumSource
  void followsUntilAllHaveEnded(Client client) throws Exception {
    assumeTrue(client.isRunnable(folder), client + " cannot run here");
    String good = "good-" + client;
    String bad = "bad-" + client;
    publish(
        status(good, RequestState.RUNNING, 7, null),
        status(good, RequestState.SUCCEEDED, 8, null),
        status(good, RequestState.RUNNING, 7, null),
        status(bad, RequestState.FAILED, 3, "exit code 7"));
    Program.Ended both = run(client, "follow", good, bad);
    assertThat(both.exitCode()).as(both.err()).isEqualTo(1);
    assertThat(both.out().lines().map(String::strip))
        .containsExactlyInAnyOrder(
            good + " RUNNING", good + " SUCCEEDED", bad + " FAILED exit code 7");
    assertThat(run(client, "follow", good).exitCode()).isZero();
  }

  private Program.Ended run(Client client, String what, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(client.command(what));
    command.addAll(List.of(arguments));
    return Program.of(folder, command.toArray(new String[0]))
        .with("STOKER_BOOTSTRAP", bootstrap)
        .run();
  }

  private static RequestStatus status(String id, RequestState state, long version, String reason) {
    Map<String, Object> fields = new HashMap<>();
    fields.put("id", id);
    fields.put("state", state.name());
    fields.put("version", version);
    fields.put("reason", reason);
    try {
      return Json.read(Json.tree(fields), RequestStatus.class);
    } catch (io.stoker.common.json.MalformedJson e) {
      throw new IllegalStateException(e);
    }
  }

  private static void publish(RequestStatus... statuses) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "acks", "all");
    try (var producer =
        new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer())) {
      for (RequestStatus status : statuses) {
        producer.send(new ProducerRecord<>("stoker.status", status.id(), Json.bytes(status))).get();
      }
    }
  }

  /** Everything on the requests topic. */
  private static List<JobRequest> posted() throws Exception {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", false);
    List<JobRequest> requests = new ArrayList<>();
    try (var consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor("stoker.requests").stream()
              .map(one -> new TopicPartition(one.topic(), one.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long left =
          consumer.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
      while (left > 0) {
        for (var record : consumer.poll(Duration.ofSeconds(1))) {
          requests.add(RequestParser.parse(record.value(), Optional.empty()));
          left--;
        }
      }
    }
    return requests;
  }
}
