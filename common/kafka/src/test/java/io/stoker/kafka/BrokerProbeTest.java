package io.stoker.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.kafka.BrokerProbe.Found;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BrokerProbeTest {
  /** Kafka's answer: length, correlation, UNSUPPORTED_SASL_MECHANISM, one mechanism. */
  private static final String PLAIN_ONLY =
      "00000011" + "00000000" + "0021" + "00000001" + "0005504c41494e";

  /** ILLEGAL_SASL_STATE, no mechanism. */
  private static final String NO_LOGIN = "0000000a" + "00000000" + "0022" + "00000000";

  /** TLS's alert that a record is none of its. */
  private static final String ALERT = "15030300020246";

  @Test
  void first_plainBrokerWithLogin_tellsItsMechanisms() throws Exception {
    assertThat(asked(PLAIN_ONLY)).isEqualTo(new Answer(false, Optional.of(List.of("PLAIN"))));
  }

  @Test
  void first_plainBrokerWithoutLogin_tellsNone() throws Exception {
    assertThat(asked(NO_LOGIN)).isEqualTo(new Answer(false, Optional.of(List.of())));
  }

  @Test
  void first_tlsBroker_isFoundByItsAlert() throws Exception {
    assertThat(asked(ALERT)).isEqualTo(new Answer(true, Optional.empty()));
  }

  @Test
  void first_noBroker_isNone() throws Exception {
    try (Server http = new Server("485454502f312e3120343030")) {
      assertThat(BrokerProbe.first(List.of("127.0.0.1:1", http.address(), "nonsense"), "PLAIN"))
          .isEmpty();
    }
  }

  /** It could go on for two thousand million of them. */
  @Test
  void first_moreMechanismsThanItsAnswerIsLong_isNone() throws Exception {
    String longer = PLAIN_ONLY.replace("000000010005", "000000020005") + "0005504c41494e";
    try (Server server = new Server(longer)) {
      assertThat(BrokerProbe.first(List.of(server.address()), "X", 60_000)).isEmpty();
    }
  }

  @Test
  void allClosed_ofBrokersOfWhichOneListens_isFalse() throws Exception {
    try (Server server = new Server(NO_LOGIN)) {
      assertThat(BrokerProbe.allClosed(List.of("127.0.0.1:1", server.address()))).isFalse();
    }
    assertThat(BrokerProbe.allClosed(List.of("127.0.0.1:1", " 127.0.0.1:2"))).isTrue();
    assertThat(BrokerProbe.allClosed(List.of("nonsense"))).isFalse();
  }

  private record Answer(boolean tls, Optional<List<String>> mechanisms) {}

  private static Answer asked(String answer) throws Exception {
    try (Server server = new Server(answer)) {
      Found found =
          BrokerProbe.first(List.of("127.0.0.1:1", server.address()), "X", 60_000).orElseThrow();
      assertThat(found.broker()).isEqualTo(server.address());
      return new Answer(found.tls(), found.mechanisms());
    }
  }

  /** Answers all who say something the same, and hangs up. */
  private static final class Server implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());

    Server(String hex) throws IOException {
      byte[] answer = HexFormat.of().parseHex(hex);
      Thread.ofVirtual()
          .start(
              () -> {
                while (true) {
                  try (Socket client = socket.accept()) {
                    client.getInputStream().read(new byte[1024]);
                    client.getOutputStream().write(answer);
                  } catch (IOException closed) {
                    return;
                  }
                }
              });
    }

    String address() {
      return "127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
