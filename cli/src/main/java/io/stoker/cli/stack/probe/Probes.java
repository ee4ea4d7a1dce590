package io.stoker.cli.stack.probe;

import io.stoker.cli.stack.child.Readiness.Probe;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Questions that tell whether a server serves, each answered within two seconds. */
public final class Probes {
  private static final int LIMIT_MILLIS = 2_000;

  private Probes() {}

  /** Somebody accepts connections on a loopback port. */
  public static Probe accepts(int port) {
    return () -> connect(port).close();
  }

  /** Redis takes the password, and answers a PING. */
  public static Probe redis(int port, String password) {
    return () -> {
      try (Socket socket = connect(port)) {
        OutputStream out = socket.getOutputStream();
        String asked = "AUTH %s\r\nPING\r\n".formatted(password);
        out.write(asked.getBytes(StandardCharsets.US_ASCII));
        String expected = "+OK\r\n+PONG";
        byte[] answer = socket.getInputStream().readNBytes(expected.length());
        if (!new String(answer, StandardCharsets.US_ASCII).equals(expected)) {
          throw new IOException(
              "Redis answered %s to AUTH and PING"
                  .formatted(new String(answer, StandardCharsets.US_ASCII).strip()));
        }
      }
    };
  }

  /** A GET is answered with 200. */
  public static Probe http(URI uri) {
    return () -> {
      HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
      connection.setConnectTimeout(LIMIT_MILLIS);
      connection.setReadTimeout(LIMIT_MILLIS);
      try {
        if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
          throw new IOException(
              "%s answered %d%s".formatted(uri, connection.getResponseCode(), body(connection)));
        }
      } finally {
        connection.disconnect();
      }
    };
  }

  private static String body(HttpURLConnection connection) throws IOException {
    try (InputStream error = connection.getErrorStream()) {
      return error == null
          ? ""
          : ": " + new String(error.readNBytes(2_000), StandardCharsets.UTF_8);
    }
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(LIMIT_MILLIS);
    try {
      socket.connect(new InetSocketAddress("127.0.0.1", port), LIMIT_MILLIS);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
