package io.stoker.dispatcher.store;

import org.eclipse.microprofile.config.ConfigProvider;
import org.flywaydb.core.Flyway;

/**
 * Brings the database's schema up to date: a step of its own, so that replicas never race for it.
 * Needs nothing of the running dispatcher.
 */
public final class Migration {
  private Migration() {}

  public static void run() {
    DatabaseAddress address = DatabaseAddress.of(ConfigProvider.getConfig());
    migrate(address.url(), address.user(), address.password());
  }

  /**
   * Migrates one database.
   *
   * @param url without credentials, as in {@code stoker.postgres.url}
   */
  public static void migrate(String url, String user, String password) {
    Flyway.configure()
        .dataSource("jdbc:" + url, user, password)
        .locations("classpath:db/migration")
        .load()
        .migrate();
  }
}
