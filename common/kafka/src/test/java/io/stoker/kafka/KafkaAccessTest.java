package io.stoker.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaAccessTest {
  @TempDir Path folder;

  @Test
  void of_nothingConfigured_isPlainOnThisMachine() {
    KafkaAccess access = of(Map.of());

    assertThat(access.settings())
        .isEqualTo(Map.of("bootstrap.servers", "localhost:9092", "metric.reporters", ""));
    assertThat(access.tls()).isFalse();
    assertThat(access.mechanism()).isEmpty();
  }

  @Test
  void of_fileAndKeys_keysWin() throws IOException {
    Path file =
        file(
            "bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nclient.id=x\n");

    KafkaAccess access =
        of(
            Map.of(
                "stoker.kafka.config",
                file.toString(),
                "stoker.kafka.sasl.mechanism",
                "SCRAM-SHA-512",
                "stoker.topics.prefix",
                "t."));

    assertThat(access.settings())
        .isEqualTo(
            Map.of(
                "bootstrap.servers", "a:1",
                "security.protocol", "SASL_SSL",
                "sasl.mechanism", "SCRAM-SHA-512",
                "client.id", "x",
                "metric.reporters", ""));
    assertThat(access.tls()).isTrue();
    assertThat(access.mechanism()).contains("SCRAM-SHA-512");
  }

  @Test
  void of_bootstrapServersGiven_winOverTheFiles() throws IOException {
    Path file = file("bootstrap.servers=a:1\n");

    KafkaAccess access =
        of(Map.of("stoker.kafka.config", file.toString(), "stoker.kafka.bootstrap-servers", "b:2"));

    assertThat(access.settings())
        .isEqualTo(Map.of("bootstrap.servers", "b:2", "metric.reporters", ""));
  }

  @Test
  void of_reportersOfMetrics_areThoseThatAreNamed() {
    KafkaAccess access = of(Map.of("stoker.kafka.metric.reporters", "org.example.Reporter"));

    assertThat(access.settings()).containsEntry("metric.reporters", "org.example.Reporter");
  }

  @Test
  void of_fileThatIsAbsent_saysWhichKeyNamesIt() {
    assertThatThrownBy(() -> of(Map.of("stoker.kafka.config", "/absent/client.properties")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stoker.kafka.config is /absent/client.properties");
  }

  @Test
  void ofEnvironment_variables_areReadByKafkasNames() {
    KafkaAccess access =
        KafkaAccess.ofEnvironment(
            Map.of(
                "STOKER_KAFKA_SECURITY_PROTOCOL", "SSL",
                "STOKER_KAFKA_SSL_TRUSTSTORE_LOCATION", "/etc/Ca.pem",
                "STOKER_KAFKA_SSL_KEYSTORE_TYPE", " ",
                "STOKER_KAFKA_BOOTSTRAP_SERVERS", "of-services:1",
                "HOME", "/root"),
            Optional.of("kafka:9093"));

    assertThat(access.settings())
        .isEqualTo(
            Map.of(
                "bootstrap.servers", "kafka:9093",
                "security.protocol", "SSL",
                "ssl.truststore.location", "/etc/Ca.pem",
                "metric.reporters", ""));
  }

  @Test
  void of_tokensFetchedByUrl_allowsKafkaThatUrl() {
    String property = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
    String before = System.getProperty(property);
    try {
      of(Map.of("stoker.kafka.sasl.oauthbearer.token.endpoint.url", "https://idp/token"));

      assertThat(System.getProperty(property)).isEqualTo("https://idp/token");
    } finally {
      if (before == null) {
        System.clearProperty(property);
      }
    }
  }

  @Test
  void warning_passwordsThatOthersMayRead_namesTheFile() throws IOException {
    Path file = file("sasl.jaas.config=x username=\"u\" password=\"p\";\n");
    KafkaAccess access = of(Map.of("stoker.kafka.config", file.toString()));

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThat(access.warning()).hasValueSatisfying(w -> assertThat(w).contains("chmod 600"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThat(access.warning()).isEmpty();
  }

  @Test
  void warning_noPasswordInTheFile_isNone() throws IOException {
    Path file = file("security.protocol=SSL\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

    assertThat(of(Map.of("stoker.kafka.config", file.toString())).warning()).isEmpty();
  }

  @Test
  void toString_passwordsInTheSettings_areNotShown() {
    KafkaAccess access =
        of(
            Map.of(
                "stoker.kafka.security.protocol",
                "SASL_SSL",
                "stoker.kafka.sasl.jaas.config",
                "x username=\"u\" password=\"secret\";"));

    assertThat(access.toString()).isEqualTo("localhost:9092");
    assertThat(access.login()).contains("user u").doesNotContain("secret");
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("client.properties"), text);
  }

  private static KafkaAccess of(Map<String, String> properties) {
    return KafkaAccess.of(properties.keySet(), properties::get);
  }
}
