package io.stoker.dispatcher.service.postgres;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
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
  public record Done(int migrations, String version) {}

  /**
   * Migrates one database.
   *
   * @throws FlywayException if it cannot be reached, or is none that can be
   */
  public static Done migrate(DatabaseAddress address) {
    Flyway flyway = configured(address).load();
    int migrations = flyway.migrate().migrationsExecuted;
    return new Done(migrations, flyway.info().current().getVersion().getVersion());
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
