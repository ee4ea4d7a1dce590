package io.stoker.cli.stack.kafka;

import io.stoker.cli.local.FreePorts;
import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.stack.child.Readiness;
import io.stoker.cli.stack.child.Readiness.Probe;
import io.stoker.cli.stack.kafka.KafkaSettings.Listener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.security.scram.ScramLoginModule;

/** A real broker with a listener for each way in, and a plain one for who has started it. */
final class SecuredBroker implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /**
   * Ways in by their names in the documentation, with Kafka's name of what each listener speaks.
   */
  private static final Map<String, String> SPEECH =
      Map.of(
          "TLS", "SSL",
          "mTLS", "SSL",
          "PLAIN", "SASL_SSL",
          "SCRAM", "SASL_SSL",
          "OAUTHBEARER", "SASL_SSL");

  private final Map<String, Listener> listeners = new LinkedHashMap<>();
  private final int plain = FreePorts.one();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Child child;

  /**
   * Starts it.
   *
   * @param certificates of which {@code kafka} is the broker's, and {@code client} one it trusts
   * @param keys by which it sees whose tokens are
   */
  SecuredBroker(Path folder, Certificates certificates, Path keys, String user, String password)
      throws Exception {
    for (String way : SPEECH.keySet()) {
      int port = FreePorts.one();
      listeners.put(way, new Listener(way.toUpperCase(Locale.ROOT), port, "127.0.0.1:" + port));
    }
    Properties settings =
        KafkaSettings.of(
            folder.resolve("kafka"), plain, FreePorts.one(), List.copyOf(listeners.values()));
    settings.put(
        "listener.security.protocol.map",
        SPEECH.entrySet().stream()
                .map(way -> listeners.get(way.getKey()).name() + ":" + way.getValue())
                .collect(Collectors.joining(","))
            + ",CONTROLLER:PLAINTEXT,%s:PLAINTEXT".formatted(KafkaSettings.CLIENTS));
    settings.put("ssl.keystore.type", "PKCS12");
    settings.put("ssl.keystore.location", certificates.keystore("kafka").toString());
    settings.put("ssl.keystore.password", Certificates.PASSWORD);
    settings.put("ssl.key.password", Certificates.PASSWORD);
    settings.put("ssl.truststore.type", "PEM");
    settings.put("ssl.truststore.location", certificates.authority("client").toString());
    settings.put("listener.name.mtls.ssl.client.auth", "required");
    logins(settings, keys.toUri().toString(), user, password);
    Path file = folder.resolve("server.properties");
    KafkaSettings.write(settings, file);
    List<String> flags =
        List.of(
            "-Xmx512m",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=" + keys.toUri());
    child =
        new Child(
            ChildSpec.of(
                "kafka",
                Role.KAFKA,
                JavaCommand.ofOwnClassPath(
                    flags, KafkaNode.class, List.of(file.toString(), Uuid.randomUuid().toString())),
                Map.of(),
                folder,
                folder.resolve("kafka.log"),
                Duration.ofSeconds(20)),
            timer,
            new Child.Watcher() {
              @Override
              public void changed(Child changed) {}

              @Override
              public void said(Child speaker, String what) {}
            });
    child.start();
  }

  private static void logins(Properties settings, String keys, String user, String password) {
    settings.put("listener.name.plain.sasl.enabled.mechanisms", "PLAIN");
    settings.put(
        "listener.name.plain.plain.sasl.jaas.config",
        "%s required user_%s=\"%s\";".formatted(PlainLoginModule.class.getName(), user, password));
    settings.put("listener.name.scram.sasl.enabled.mechanisms", "SCRAM-SHA-512");
    settings.put(
        "listener.name.scram.scram-sha-512.sasl.jaas.config",
        ScramLoginModule.class.getName() + " required;");
    settings.put(
        SecureKafka.FIRST_USERS, "SCRAM-SHA-512=[name=%s,password=%s]".formatted(user, password));
    settings.put("listener.name.oauthbearer.sasl.enabled.mechanisms", "OAUTHBEARER");
    settings.put(
        "listener.name.oauthbearer.oauthbearer.sasl.jaas.config",
        OAuthBearerLoginModule.class.getName() + " required;");
    settings.put(
        "listener.name.oauthbearer.oauthbearer.sasl.server.callback.handler.class",
        OAuthBearerValidatorCallbackHandler.class.getName());
    settings.put("sasl.oauthbearer.jwks.endpoint.url", keys);
    settings.put("sasl.oauthbearer.expected.audience", TokenEndpoint.AUDIENCE);
  }

  void await(Probe served) throws Exception {
    Readiness.await(child, served, PATIENCE);
  }

  /** Where a way in is. */
  String at(String way) {
    return listeners.get(way).advertised();
  }

  /** Where everybody gets in. */
  String open() {
    return "127.0.0.1:" + plain;
  }

  /** Names of all ways in. */
  List<String> ways() {
    return new ArrayList<>(listeners.keySet());
  }

  @Override
  public void close() throws Exception {
    child.stop();
    timer.shutdownNow();
  }
}
