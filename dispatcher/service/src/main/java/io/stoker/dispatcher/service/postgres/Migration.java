package io.stoker.dispatcher.service.postgres;

import io.stoker.common.json.Json;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.microprofile.config.ConfigProvider;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * Brings the database's schema up to date: a step of its own, so that replicas never race for it.
 * Needs nothing of the running dispatcher.
 */
public final class Migration {
  private Migration() {}

  /**
   * What was done.
   *
   * @param migrations how many were run
   * @param version that the schema has now
   */
  private record Done(int migrations, String version) {}

  public static void run() {
    migrate(DatabaseAddress.of(ConfigProvider.getConfig()));
  }

  /** As {@link #run()}, and says on standard output as one JSON object what was done. */
  public static void runAndSay() {
    Logger.getLogger("").setLevel(Level.SEVERE); // a log would be beside it
    DatabaseAddress address = DatabaseAddress.of(ConfigProvider.getConfig());
    Flyway flyway = configured(address).load();
    int migrations = flyway.migrate().migrationsExecuted;
    String version = flyway.info().current().getVersion().getVersion();
    System.out.println(Json.text(new Done(migrations, version)));
  }

  /** Migrates one database. */
  public static void migrate(DatabaseAddress address) {
    configured(address).load().migrate();
  }

  /**
   * Makes the tables in a schema of the database that is there and has none, or brings those that
   * it has further.
   *
   * @param server one alone
   * @param version of the last migration that is run
   */
  public static void migrate(DatabaseAddress server, String schema, String version) {
    configured(server).defaultSchema(schema).createSchemas(false).target(version).load().migrate();
  }

  private static FluentConfiguration configured(DatabaseAddress address) {
    return Flyway.configure()
        // Before the address: it is made a source of connections by what is known then.
        .jdbcProperties(address.tls().jdbc())
        .dataSource("jdbc:" + address.url(), address.user(), address.password())
        .locations("classpath:db/migration");
  }
}
