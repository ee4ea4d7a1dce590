package io.stoker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.kafka.BrokerProbe.Found;
import java.security.cert.CertificateExpiredException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLHandshakeException;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaTroubleTest {
  private final KafkaAccess scram =
      access(
          Map.of(
              "security.protocol", "SASL_SSL",
              "sasl.mechanism", "SCRAM-SHA-512",
              "sasl.jaas.config", "x.ScramLoginModule required username=\"x\" password=\"p\";"));

  @Test
  void refused_wrongPassword_namesBrokerUserAndMechanism() {
    assertThat(scram.refused(new ExecutionException(new SaslAuthenticationException("no"))))
        .contains("login refused by 127.0.0.1:1 as user x (SASL SCRAM-SHA-512)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PKIX path building failed: unable to find valid certification path | is not trusted",
        "No subject alternative names matching IP address 10.0.0.1 found | is for another host name",
        "No name matching kafka found | is for another host name",
        "Received fatal alert: certificate_required | wants a certificate of this client, which has none",
        "Received fatal alert: protocol_version | TLS with 127.0.0.1:1 fails"
      })
  void refused_handshake_saysWhatIsWrong(String message, String sentence) {
    assertThat(scram.refused(handshake(new SSLHandshakeException(message))))
        .hasValueSatisfying(said -> assertThat(said).contains(sentence));
  }

  @Test
  void refused_expiredCertificate_saysSo() {
    Exception cause = new SSLHandshakeException("PKIX path validation failed");
    cause.initCause(new CertificateExpiredException("NotAfter: 2020"));

    assertThat(scram.refused(handshake(cause)))
        .contains("the certificate of 127.0.0.1:1 has expired");
  }

  @Test
  void refused_certificateOfItsOwn_isNotTaken() {
    KafkaAccess certified =
        access(Map.of("security.protocol", "SSL", "ssl.keystore.location", "/client.pem"));

    assertThat(
            certified.refused(
                handshake(new SSLHandshakeException("Received fatal alert: bad_certificate"))))
        .hasValueSatisfying(
            said -> assertThat(said).contains("127.0.0.1:1 does not take this client's"));
    assertThat(certified.security()).isEqualTo("TLS, this client's certificate");
  }

  @Test
  void refused_noToken_saysWhoAskedForIt() {
    KafkaAccess tokens =
        access(
            Map.of(
                "security.protocol", "SASL_SSL",
                "sasl.mechanism", "OAUTHBEARER",
                "sasl.jaas.config", "x.OAuthBearerLoginModule required clientId=\"c\";"));

    assertThat(tokens.refused(new KafkaException("no client", new LoginException("malformed"))))
        .contains("no token for 127.0.0.1:1 as client c (SASL OAUTHBEARER): malformed");
  }

  @Test
  void refused_noRight_namesTheLogin() {
    assertThat(scram.refused(new TopicAuthorizationException("no right to t")))
        .hasValueSatisfying(
            said -> assertThat(said).startsWith("user x (SASL SCRAM-SHA-512) has no"));
  }

  @Test
  void trouble_nobodyListens_isAsKafkaSaysIt() {
    assertThat(scram.refused(new TimeoutException("timed out"))).isEmpty();
    assertThat(scram.trouble(new TimeoutException("timed out"))).isEqualTo("timed out");
    assertThat(
            scram.trouble(
                new KafkaException("Failed to construct", new KafkaException("no such keystore"))))
        .isEqualTo("Failed to construct: no such keystore");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "PLAINTEXT | PLAIN         | true  | -             | speaks TLS, this client does not",
        "SSL       | PLAIN         | false | ''            | speaks no TLS, this client does",
        "PLAINTEXT | PLAIN         | false | SCRAM-SHA-512 | wants a login (SASL SCRAM-SHA-512)",
        "SASL_SSL  | PLAIN         | true  | SCRAM-SHA-512 | this client's is by PLAIN",
        "SASL_SSL  | PLAIN         | true  | ''            | takes no login",
        "SASL_SSL  | SCRAM-SHA-512 | true  | SCRAM-SHA-512 | -",
        "SASL_SSL  | SCRAM-SHA-512 | true  | -             | -",
        "PLAINTEXT | PLAIN         | false | ''            | -"
      })
  void mismatch_brokerAndClient_isNamed(
      String protocol, String mechanism, boolean tls, String taken, String sentence) {
    KafkaAccess access = access(Map.of("security.protocol", protocol, "sasl.mechanism", mechanism));
    Optional<List<String>> mechanisms =
        Optional.ofNullable(taken).map(one -> one.isEmpty() ? List.of() : List.of(one));

    Optional<String> said = KafkaTrouble.mismatch(access, new Found("kafka:9093", tls, mechanisms));

    if (sentence == null) {
      assertThat(said).isEmpty();
    } else {
      assertThat(said).hasValueSatisfying(it -> assertThat(it).contains("kafka:9093", sentence));
    }
  }

  private static Exception handshake(Exception cause) {
    return new SslAuthenticationException("SSL handshake failed", cause);
  }

  private static KafkaAccess access(Map<String, String> settings) {
    return KafkaAccess.of(
        settings.keySet().stream().map(name -> KafkaAccess.PREFIX + name).toList(),
        key ->
            key.endsWith("bootstrap-servers")
                ? "127.0.0.1:1"
                : settings.get(key.substring(KafkaAccess.PREFIX.length())));
  }
}
