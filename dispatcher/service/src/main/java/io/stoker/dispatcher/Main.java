package io.stoker.dispatcher;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.stoker.common.life.StartFailure;
import io.stoker.dispatcher.service.backup.Commands;
import io.stoker.dispatcher.service.config.KafkaBean;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.dispatcher.service.postgres.StartGate;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * Runs the dispatcher; with the argument {@code migrate}, brings the database up to date instead,
 * with {@code backup} or {@code restore} takes one or puts one back, with {@code rehearse}, starts
 * it without anybody to talk to and ends it again.
 */
@QuarkusMain
public final class Main {
  private Main() {}

  public static void main(String... args) {
    Locale.setDefault(Locale.ROOT); // others have digits of their own
    switch (args.length == 0 ? "" : args[0]) {
      case "migrate", "backup", "restore" -> System.exit(Commands.run(args));
      case "rehearse" -> Rehearsal.run();
      default -> {
        awaitBackends(ConfigProvider.getConfig());
        Quarkus.run((Class<? extends QuarkusApplication>) null, StartFailure::end, args);
      }
    }
  }

  private static void awaitBackends(Config config) {
    String host = config.getOptionalValue("quarkus.http.host", String.class).orElse("127.0.0.1");
    int port =
        config
            .getOptionalValue("stoker.http.management-port", Integer.class)
            .or(() -> config.getOptionalValue("quarkus.http.port", Integer.class))
            .orElse(8080);
    new StartGate(
            DatabaseAddress.of(config),
            KafkaBean.access(config)::mismatch,
            new InetSocketAddress(host, port))
        .pass();
  }
}
