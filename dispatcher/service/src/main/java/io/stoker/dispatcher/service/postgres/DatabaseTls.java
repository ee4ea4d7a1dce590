package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.config.PemFiles;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.eclipse.microprofile.config.Config;

/**
 * The TLS settings of connections to the database, for both drivers.
 *
 * @param mode what is asked of each connection; with {@code DISABLE} nothing but what the URL says
 * @param files by which the two believe each other
 */
public record DatabaseTls(StokerConfig.PostgresTls mode, PemFiles files) {
  public static final DatabaseTls NONE =
      new DatabaseTls(StokerConfig.PostgresTls.DISABLE, PemFiles.NONE);

  private static final String KEY = "stoker.postgres.tls";
  private static final Pattern IN_URL = Pattern.compile("[?&]ssl");

  /** SQLSTATE of a server that does not go on as it is spoken to. */
  private static final String REJECTED = "08004";

  /** SQLSTATE of a connection that was made and is of no use. */
  private static final String BROKEN = "08006";

  /**
   * As configured.
   *
   * @param url of the servers, which may ask for something itself
   * @throws IllegalArgumentException that names key and value, if something does not fit
   */
  static DatabaseTls of(Config config, String url) {
    StokerConfig.PostgresTls mode =
        config
            .getOptionalValue(KEY, StokerConfig.PostgresTls.class)
            .orElse(StokerConfig.PostgresTls.DISABLE);
    DatabaseTls tls = new DatabaseTls(mode, PemFiles.of(config, KEY));
    tls.objection(url)
        .ifPresent(
            why -> {
              throw new IllegalArgumentException("%s is %s, %s".formatted(KEY, tls.name(), why));
            });
    return tls;
  }

  private Optional<String> objection(String url) {
    if (mode != StokerConfig.PostgresTls.DISABLE && IN_URL.matcher(url).find()) {
      return Optional.of("and stoker.postgres.url says something of it, too: expected one of them");
    }
    return switch (mode) {
      case DISABLE ->
          files.none()
              ? Optional.empty()
              : Optional.of(
                  "and %s.ca or %s.cert is set: expected verify-full".formatted(KEY, KEY));
      case REQUIRE ->
          files.ca().isEmpty()
              ? Optional.empty()
              : Optional.of(
                  "which looks at no certificate, and %s.ca is set: expected verify-full"
                      .formatted(KEY));
      case VERIFY_FULL ->
          files.ca().isPresent()
              ? Optional.empty()
              : Optional.of("and %s.ca is not set: expected a file of certificates".formatted(KEY));
    };
  }

  private String name() {
    return mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Has the reactive driver do so. */
  void give(PgConnectOptions options) {
    switch (mode) {
      case DISABLE -> {
        return;
      }
      case REQUIRE -> options.setSslMode(SslMode.REQUIRE).setTrustAll(true);
      case VERIFY_FULL ->
          options.setSslMode(SslMode.VERIFY_FULL).setHostnameVerificationAlgorithm("HTTPS");
    }
    files.give(options);
  }

  /** What has the driver of JDBC do so: its own settings. */
  Map<String, String> jdbc() {
    if (mode == StokerConfig.PostgresTls.DISABLE) {
      return Map.of();
    }
    Map<String, String> settings = new HashMap<>(Map.of("sslmode", name()));
    files.ca().ifPresent(file -> settings.put("sslrootcert", file.toString()));
    files.certificate().ifPresent(file -> settings.put("sslcert", file.toString()));
    files.key().ifPresent(file -> settings.put("sslkey", file.toString()));
    files.keyAlgorithm().ifPresent(name -> settings.put("pemKeyAlgorithm", name));
    return settings;
  }

  /**
   * Why a server cannot be spoken to as this says, and what to do; nothing where a connection
   * failed for another reason.
   */
  Optional<String> problem(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    boolean ofName = state.equals(BROKEN) && error.getCause() == null;
    boolean ofTls =
        state.equals(REJECTED) || ofName || Fault.cause(error, SSLException.class).isPresent();
    return mode != StokerConfig.PostgresTls.DISABLE && ofTls
        ? Optional.of(
            "no connection to the database as %s=%s asks: see the server's TLS, and %s.ca (%s)"
                .formatted(KEY, name(), KEY, error.getMessage()))
        : Optional.empty();
  }
}
