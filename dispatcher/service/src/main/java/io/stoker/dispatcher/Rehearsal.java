package io.stoker.dispatcher;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.dispatcher.service.postgres.Migration;
import java.time.Duration;
import org.eclipse.microprofile.config.ConfigProvider;
import org.flywaydb.core.api.FlywayException;

/**
 * A dispatcher's start without anybody to talk to, and its end: the JVM can note what every start
 * loads and links, and keep it in a cache for those that come later. It touches nothing of a real
 * dispatcher's.
 */
public final class Rehearsal implements QuarkusApplication {
  /** Time to look for everything that is not there once. */
  private static final Duration LENGTH = Duration.ofSeconds(3);

  /** Nobody listens there: it is tried again and again, as everywhere. */
  private static final String NOBODY = "127.0.0.1:9";

  static void run() {
    configure();
    migrate();
    Quarkus.run(Rehearsal.class);
  }

  /** System properties win over whatever is configured on this machine. */
  private static void configure() {
    System.setProperty("quarkus.http.host", "127.0.0.1");
    System.setProperty("quarkus.http.port", "0");
    System.setProperty("stoker.host-secret", "00");
    System.setProperty("stoker.replica", "rehearsal");
    System.setProperty("stoker.kafka.bootstrap-servers", NOBODY);
    System.setProperty("stoker.postgres.url", "postgresql://" + NOBODY + "/rehearsal");
    System.setProperty("stoker.redis.url", "redis://" + NOBODY);
  }

  private static void migrate() {
    try {
      Migration.migrate(DatabaseAddress.of(ConfigProvider.getConfig()));
      throw new IllegalStateException("a database answers at " + NOBODY);
    } catch (FlywayException e) {
      // What it loads before it connects is what the cache is to hold.
    }
  }

  @Override
  public int run(String... arguments) throws InterruptedException {
    Thread.sleep(LENGTH);
    return 0;
  }
}
