package io.stoker.dispatcher.store;

import org.eclipse.microprofile.config.Config;

/**
 * Where the database is, for what does without the running dispatcher.
 *
 * @param url without credentials, as in {@code stoker.postgres.url}
 */
public record DatabaseAddress(String url, String user, String password) {
  /** As configured. */
  public static DatabaseAddress of(Config config) {
    return new DatabaseAddress(
        config
            .getOptionalValue("stoker.postgres.url", String.class)
            .orElse("postgresql://127.0.0.1:5432/stoker"),
        config.getOptionalValue("stoker.postgres.user", String.class).orElse("stoker"),
        config.getOptionalValue("stoker.postgres.password", String.class).orElse("stoker"));
  }
}
