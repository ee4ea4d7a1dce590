package io.stoker.kafka;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Asks a broker whether it speaks TLS and by which mechanisms it takes logins: by Kafka's
 * SaslHandshake, the only request that is answered before a login and where there is none. Nothing
 * secret is said.
 *
 * @see <a href="https://kafka.apache.org/protocol">Kafka's protocol</a>
 */
final class BrokerProbe {
  private static final int PATIENCE_MS = 3_000;

  /** First bytes of TLS: an alert, a handshake. A length of Kafka's begins with 0. */
  private static final int ALERT = 0x15;

  private static final int HANDSHAKE = 0x16;
  private static final int LONGEST_ANSWER = 64 * 1024;

  private BrokerProbe() {}

  /**
   * What a broker said.
   *
   * @param mechanisms by which it takes logins; none if it takes no login; empty if it did not say
   */
  record Found(String broker, boolean tls, Optional<List<String>> mechanisms) {}

  /** What the first says that answers. */
  static Optional<Found> first(List<String> brokers, String mechanism) {
    return first(brokers, mechanism, PATIENCE_MS);
  }

  /**
   * @param patienceMs with each of them
   */
  static Optional<Found> first(List<String> brokers, String mechanism, int patienceMs) {
    return brokers.stream()
        .map(String::strip)
        .flatMap(broker -> ask(broker, mechanism, patienceMs).stream())
        .findFirst();
  }

  /** Whether nothing listens at any of them. */
  static boolean allClosed(List<String> brokers) {
    return brokers.stream().map(String::strip).allMatch(BrokerProbe::closed);
  }

  private static boolean closed(String broker) {
    try (Socket socket = connect(broker, PATIENCE_MS)) {
      return false;
    } catch (ConnectException refused) {
      return true;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  private static Optional<Found> ask(String broker, String mechanism, int patienceMs) {
    try (Socket socket = connect(broker, patienceMs)) {
      DataInputStream in = send(socket, mechanism);
      int first = in.read();
      if (first == ALERT || first == HANDSHAKE) {
        return Optional.of(new Found(broker, true, askInTls(broker, mechanism, patienceMs)));
      }
      return first == 0
          ? Optional.of(new Found(broker, false, Optional.of(mechanisms(in, 0))))
          : Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<List<String>> askInTls(String broker, String mechanism, int patienceMs) {
    try (Socket plain = connect(broker, patienceMs);
        Socket socket =
            trusting()
                .getSocketFactory()
                .createSocket(plain, plain.getInetAddress().getHostName(), plain.getPort(), true)) {
      DataInputStream in = send(socket, mechanism);
      return Optional.of(mechanisms(in, in.readUnsignedByte()));
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private static Socket connect(String broker, int patienceMs) throws IOException {
    int colon = broker.lastIndexOf(':');
    String host = broker.substring(0, colon).replaceAll("[\\[\\]]", "");
    Socket socket = new Socket();
    socket.setSoTimeout(patienceMs);
    socket.connect(
        new InetSocketAddress(host, Integer.parseInt(broker.substring(colon + 1))), patienceMs);
    return socket;
  }

  private static DataInputStream send(Socket socket, String mechanism) throws IOException {
    byte[] name = mechanism.getBytes(StandardCharsets.UTF_8);
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    out.writeInt(12 + name.length);
    out.writeShort(ApiKeys.SASL_HANDSHAKE.id);
    out.writeShort(1);
    out.writeInt(0);
    out.writeShort(-1);
    out.writeShort(name.length);
    out.write(name);
    out.flush();
    return new DataInputStream(socket.getInputStream());
  }

  private static List<String> mechanisms(DataInputStream in, int first) throws IOException {
    int length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
    if (length < 0 || length > LONGEST_ANSWER) {
      throw new IOException("an answer of " + length + " bytes is none of Kafka");
    }
    // No more of it than it said: it may tell of two thousand million mechanisms.
    DataInputStream answer = new DataInputStream(new ByteArrayInputStream(in.readNBytes(length)));
    answer.skipNBytes(Integer.BYTES + Short.BYTES);
    int count = answer.readInt();
    List<String> mechanisms = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      mechanisms.add(answer.readUTF());
    }
    return List.copyOf(mechanisms);
  }

  /** Whoever the broker is: what it takes is no secret, and nothing of ours is told to it. */
  private static SSLContext trusting() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustsAll()}, null);
    return context;
  }

  private static final class TrustsAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
