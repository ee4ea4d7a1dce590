package io.stoker.dispatcher.service.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

/** Turns on TLS at servers of a stack while they run. */
public final class TlsSwitch {
  private static final Duration SOON = Duration.ofSeconds(60);

  private TlsSwitch() {}

  /**
   * Has Postgres speak TLS with whoever asks for it.
   *
   * @param plain as its owner reaches it without
   */
  public static void postgres(DatabaseAddress plain, SelfSigned server) throws SQLException {
    set(plain, "ssl_cert_file", server.certificate());
    set(plain, "ssl_key_file", server.key());
    set(plain, "ssl", "on");
    await().atMost(SOON).until(() -> ask(plain, "show ssl").equals("on"));
  }

  /** Has Postgres speak no TLS. */
  public static void postgresWithout(DatabaseAddress plain) throws SQLException {
    set(plain, "ssl", "off");
    await().atMost(SOON).until(() -> ask(plain, "show ssl").equals("off"));
  }

  /**
   * Has Postgres take nobody without TLS any more, nor without a certificate of that authority.
   *
   * @param plain as its owner reaches it without
   */
  public static void postgresAlone(DatabaseAddress plain, Path authority)
      throws SQLException, IOException {
    set(plain, "ssl_ca_file", authority);
    Files.writeString(
        Path.of(ask(plain, "show hba_file")),
        "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n");
    ask(plain, "select pg_reload_conf()");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThatThrownBy(() -> ask(plain, "select 1")).hasMessageContaining("pg_hba"));
  }

  private static void set(DatabaseAddress plain, String setting, Object value) throws SQLException {
    ask(plain, "alter system set %s = '%s'".formatted(setting, value));
    ask(plain, "select pg_reload_conf()");
  }

  /** What it answers without TLS; empty if nothing. */
  private static String ask(DatabaseAddress plain, String sql) throws SQLException {
    try (Connection connection = plain.open(Map.of("sslmode", "disable"));
        Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "";
      }
      ResultSet rows = statement.getResultSet();
      rows.next();
      return rows.getString(1);
    }
  }

  /**
   * Has Redis listen on another port, where it speaks TLS alone, and with nobody who has no
   * certificate of that authority.
   *
   * @param plain {@code redis://:password@host:port}
   * @param port that is free
   */
  public static void redis(URI plain, int port, SelfSigned server, Path authority)
      throws IOException {
    String commands =
        "AUTH %s\r\nCONFIG SET tls-cert-file %s\r\nCONFIG SET tls-key-file %s\r\n"
                .formatted(plain.getUserInfo().substring(1), server.certificate(), server.key())
            + "CONFIG SET tls-ca-cert-file %s\r\nCONFIG SET tls-port %d\r\n"
                .formatted(authority, port);
    try (Socket socket = new Socket(plain.getHost(), plain.getPort())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(commands.getBytes(StandardCharsets.UTF_8));
      socket.shutdownOutput();
      String said = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!said.equals("+OK\r\n".repeat(5))) {
        throw new IOException("Redis does not turn on TLS: " + said);
      }
    }
  }
}
