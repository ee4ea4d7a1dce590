package io.stoker.cli.stack.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.Main;
import io.stoker.cli.command.Connection;
import io.stoker.cli.kafka.RecordWriter;
import io.stoker.cli.kafka.TopicScan;
import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Home;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.common.json.Json;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The files of docs/security.md, one for each way into a secured broker: clients get in by each,
 * and who does not is told why.
 */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class KafkaLoginsTest {
  private static final String TOPIC = "t";
  private static final String USER = "stoker-dispatcher";
  private static final String PASSWORD = "secret-1";
  private static final Path PAGE = Home.locate().root().resolve("docs/security.md");

  @TempDir static Path folder;

  private static SecuredBroker broker;
  private static TokenEndpoint tokens;

  @BeforeAll
  static void start() throws Exception {
    Certificates certificates = new Certificates(folder);
    for (String name : List.of("kafka", "client", "stranger")) {
      certificates.make(name);
    }
    tokens = new TokenEndpoint(PASSWORD);
    Path keys = folder.resolve("keys.json");
    tokens.writeKeys(keys);
    broker = new SecuredBroker(folder, certificates, keys, USER, PASSWORD);
    broker.await(
        () -> {
          try (Admin admin = KafkaAccess.at(broker.open()).admin(Map.of())) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
          }
        });
  }

  @AfterAll
  static void stop() throws Exception {
    broker.close();
    tokens.close();
  }

  static List<String> ways() {
    return broker.ways();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void clients_byTheFileOfThePage_listWriteAndRead(String way) throws Exception {
    listWriteAndRead(file(documented(way)), way + " by its file");
  }

  @ParameterizedTest
  @MethodSource("ways")
  void clients_byTheSameKeysAlone_listWriteAndRead(String way) throws Exception {
    Map<String, String> variables = new HashMap<>();
    Properties settings = new Properties();
    settings.load(new StringReader(documented(way)));
    settings.forEach(
        (key, value) ->
            variables.put(
                "STOKER_KAFKA_" + key.toString().replace('.', '_').toUpperCase(Locale.ROOT),
                value.toString()));
    variables.put("STOKER_BOOTSTRAP", variables.remove("STOKER_KAFKA_BOOTSTRAP_SERVERS"));
    listWriteAndRead(variables, way + " by keys");
  }

  private static void listWriteAndRead(Map<String, String> variables, String key) throws Exception {
    KafkaAccess kafka = connection(variables).kafka();
    try (Admin admin = kafka.admin(Map.of())) {
      assertThat(admin.listTopics().names().get()).contains(TOPIC);
    }
    try (RecordWriter writer = new RecordWriter(kafka, TOPIC, 0)) {
      writer.send(key, new byte[1]);
      writer.flush();
    }
    List<String> read = new ArrayList<>();
    TopicScan.read(
        kafka,
        TOPIC,
        Optional.empty(),
        OptionalLong.empty(),
        found -> read.add(new String(found.key(), StandardCharsets.UTF_8)));
    assertThat(read).contains(key);
  }

  @ParameterizedTest(name = "{0}: {3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "TLS         | kafka-ca         | stranger-ca     | the certificate of AT is not trusted",
        "TLS         | =SSL             | =PLAINTEXT      | the broker at AT speaks TLS, this client does not",
        "mTLS        | ssl.keystore     | none            | AT wants a certificate of this client, which has none",
        "mTLS        | client.pem       | stranger.pem    | AT does not take this client's certificate",
        "PLAIN       | secret-1         | wrong           | login refused by AT as user stoker-dispatcher (SASL PLAIN)",
        "SCRAM       | secret-1         | wrong           | login refused by AT as user stoker-dispatcher (SASL SCRAM-SHA-512)",
        "OAUTHBEARER | secret-1         | wrong           | no token for AT as client stoker-dispatcher (SASL OAUTHBEARER)",
        "OAUTHBEARER | stoker-dispatcher | expired        | login refused by AT as client expired (SASL OAUTHBEARER)",
        "OAUTHBEARER | stoker-dispatcher | forged         | login refused by AT as client forged (SASL OAUTHBEARER)",
        "OAUTHBEARER | stoker-dispatcher | garbage        | no token for AT as client garbage (SASL OAUTHBEARER)"
      })
  void whoDoesNotGetIn_isToldWhy(String way, String right, String wrong, String sentence)
      throws Exception {
    String settings = documented(way);
    assertThat(settings).contains(right);
    Map<String, String> variables = file(settings.replace(right, wrong));
    String why = sentence.replace("AT", broker.at(way));

    Process topics = stoker(variables, "topics", "create");
    Process doctor = stoker(variables, "doctor", "--json");

    assertThat(new String(topics.getInputStream().readAllBytes())).contains(why);
    assertThat(topics.waitFor()).isEqualTo(ExitCode.UNREACHABLE);
    String found = new String(doctor.getInputStream().readAllBytes());
    assertThat(doctor.waitFor()).isEqualTo(ExitCode.FAILED);
    assertThat(found.lines().map(KafkaLoginsTest::json).filter(one -> is(one, "Kafka", "FAIL")))
        .singleElement()
        .satisfies(one -> assertThat(one.get("found").textValue()).contains(why))
        .satisfies(
            one -> assertThat(one.get("remedy").textValue()).startsWith("the settings here are "));
    assertRefused(why, () -> write(variables));
    assertRefused(why, () -> TopicTail.open(connection(variables).kafka(), List.of(TOPIC)).close());
  }

  private static void write(Map<String, String> variables) {
    try (RecordWriter writer = new RecordWriter(connection(variables).kafka(), TOPIC, 0)) {
      writer.send("refused", new byte[1]);
      writer.flush();
    }
  }

  private static void assertRefused(String why, Runnable call) {
    CliException refusal = catchThrowableOfType(CliException.class, call::run);
    assertThat(refusal).hasMessageContaining(why);
    assertThat(refusal.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mTLS        | TLS, this client's certificate",
        "OAUTHBEARER | TLS, client stoker-dispatcher (SASL OAUTHBEARER)"
      })
  void doctor_ofWhoGetsIn_saysByWhat(String way, String by) throws Exception {
    Process doctor = stoker(file(documented(way)), "doctor", "--json");

    assertThat(new String(doctor.getInputStream().readAllBytes()).lines())
        .anySatisfy(
            line ->
                assertThat(json(line).get("found").textValue())
                    .isEqualTo("1 broker(s) behind %s (%s)".formatted(broker.at(way), by)));
    doctor.waitFor();
  }

  private static boolean is(JsonNode finding, String check, String level) {
    return finding.get("check").textValue().equals(check)
        && finding.get("level").textValue().equals(level);
  }

  private static JsonNode json(String line) {
    try {
      return Json.read(line);
    } catch (Exception e) {
      throw new IllegalStateException(line, e);
    }
  }

  /** The page's file of a way in, with names of this machine in the place of its own. */
  private static String documented(String way) throws IOException {
    Matcher file =
        Pattern.compile("```properties\n(# %s: .*?)```".formatted(way), Pattern.DOTALL)
            .matcher(Files.readString(PAGE));
    assertThat(file.find()).as("a file for %s in %s", way, PAGE).isTrue();
    return file.group(1)
        .replace("kafka-1:9093,kafka-2:9093", broker.at(way))
        .replace("/etc/stoker/", folder + "/")
        .replace("https://sso.example.com/oauth2/token", tokens.url())
        .replace("…", PASSWORD);
  }

  private static Map<String, String> file(String settings) throws IOException {
    Path file = Files.createTempFile(folder, "client", ".properties");
    return Map.of("STOKER_KAFKA_CONFIG", Files.writeString(file, settings).toString());
  }

  private static Connection connection(Map<String, String> variables) {
    return new Connection(new DataFolder(folder.resolve("none")), variables);
  }

  private static Process stoker(Map<String, String> variables, String... words) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                JavaCommand.ofOwnClassPath(
                    List.of("-XX:TieredStopAtLevel=1", "-Xmx256m"), Main.class, List.of(words)))
            .redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("STOKER_"));
    builder.environment().putAll(variables);
    builder.environment().put("STOKER_DATA", folder.resolve("none").toString());
    return builder.start();
  }
}
