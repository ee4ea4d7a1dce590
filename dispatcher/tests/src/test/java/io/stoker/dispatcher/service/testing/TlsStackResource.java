package io.stoker.dispatcher.service.testing;

import io.stoker.cli.local.FreePorts;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.dispatcher.service.postgres.DatabaseTls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * As {@link StackResource}, with a Postgres and a Redis that speak TLS with dispatchers that have a
 * certificate, and with nobody else.
 */
public class TlsStackResource extends StackResource {
  /** Its settings win over those of the stack that all tests share. */
  @Override
  public int order() {
    return super.order() + 1;
  }

  @Override
  public Map<String, String> start() {
    Map<String, String> settings = new HashMap<>(super.start());
    DatabaseAddress plain =
        new DatabaseAddress(
            settings.get("stoker.postgres.url"),
            settings.get("stoker.postgres.user"),
            settings.get("stoker.postgres.password"),
            DatabaseTls.NONE);
    URI redis = URI.create(settings.get("stoker.redis.url"));
    try {
      Path folder = Files.createDirectory(folder().resolve("tls"));
      SelfSigned server = SelfSigned.make(folder, "server");
      SelfSigned client = SelfSigned.make(folder, "client");
      int port = FreePorts.one();
      TlsSwitch.postgres(plain, server);
      TlsSwitch.postgresAlone(plain, client.certificate());
      TlsSwitch.redis(redis, port, server, client.certificate());
      settings.put("stoker.postgres.tls", "verify-full");
      settings.put(
          "stoker.redis.url", "rediss://%s@127.0.0.1:%d".formatted(redis.getUserInfo(), port));
      for (String of : new String[] {"stoker.postgres.tls", "stoker.redis.tls"}) {
        settings.put(of + ".ca", server.certificate().toString());
        settings.put(of + ".cert", client.certificate().toString());
        settings.put(of + ".key", client.key().toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      throw new IllegalStateException("Postgres does not turn on TLS", e);
    }
    return settings;
  }
}
