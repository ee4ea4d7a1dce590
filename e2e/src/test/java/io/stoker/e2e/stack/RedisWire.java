package io.stoker.e2e.stack;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** One conversation with a stack's Redis, by plain bytes. */
public final class RedisWire {
  private static final String TAKEN = "+OK\r\n";

  private RedisWire() {}

  /**
   * Everything that it answers to a command, once it has taken the password.
   *
   * @param address {@code redis://:password@host:port}
   * @param command as it goes over the wire
   */
  public static String ask(String address, String command) throws IOException {
    URI at = URI.create(address);
    try (Socket socket = new Socket(at.getHost(), at.getPort())) {
      socket.setSoTimeout(30_000);
      String password = at.getUserInfo().substring(1);
      String asked = "AUTH %s\r\n%s".formatted(password, command);
      socket.getOutputStream().write(asked.getBytes(StandardCharsets.UTF_8));
      socket.shutdownOutput();
      String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      if (!all.startsWith(TAKEN)) {
        throw new IOException("Redis answered AUTH with " + all);
      }
      return all.substring(TAKEN.length());
    }
  }
}
