package io.stoker.cli.stack.kafka;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.HostKey;
import io.stoker.cli.topics.Rights;
import io.stoker.common.security.OwnFiles;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.security.scram.ScramLoginModule;

/**
 * TLS, logins and rights of a stack's broker: a certificate of its own, a user a role with a
 * password of its own (SCRAM), and to each user what its role needs. Files that hold passwords may
 * be read by their owner alone.
 *
 * @param secret hex, from which all passwords derive
 */
public record SecureKafka(DataFolder data, String secret, int port) {
  /** May do everything: the command line's user, who is also the stack's. */
  public static final String ADMIN = "stoker-admin";

  public static final String DISPATCHER = "stoker-dispatcher";
  private static final String BROKER = "stoker-kafka";

  /** Of a broker's settings: what its log folder is formatted with. */
  static final String FIRST_USERS = "stoker.scram.users";

  private static final ScramMechanism MECHANISM = ScramMechanism.SCRAM_SHA_512;
  private static final int ITERATIONS = 4_096;
  private static final String VALID_DAYS = "3650";

  /**
   * What the JVM's first compiler makes quick. Agents and the command line have no other one, and
   * AES is quick by the processor's instructions alone, which only the second one uses.
   */
  private static final String QUICK_SUITE = "TLS_CHACHA20_POLY1305_SHA256";

  public static String agent(String host) {
    return "stoker-host-" + host;
  }

  /** Where {@link #client} writes that user's. */
  public Path file(String user) {
    return data.secure().resolve(user + ".properties");
  }

  /** How a user reaches the broker, in a file that Kafka's own tools take, too. */
  public Path client(String user) throws IOException {
    Properties settings = new Properties();
    settings.putAll(
        Map.of(
            "bootstrap.servers",
            "127.0.0.1:" + port,
            "security.protocol",
            "SASL_SSL",
            "sasl.mechanism",
            MECHANISM.mechanismName(),
            "sasl.jaas.config",
            login(user),
            "ssl.truststore.type",
            "PEM",
            "ssl.truststore.location",
            certificate().toString()));
    if (!user.equals(DISPATCHER)) {
      settings.put("ssl.cipher.suites", QUICK_SUITE);
    }
    Path file = file(user);
    KafkaSettings.write(settings, file);
    return file;
  }

  private Path certificate() {
    return data.secure().resolve("ca.pem");
  }

  private String password(String user) {
    return HostKey.derive(secret, "kafka " + user);
  }

  private String login(String user) {
    return "%s required username=\"%s\" password=\"%s\";"
        .formatted(ScramLoginModule.class.getName(), user, password(user));
  }

  /** Makes the broker take nobody without TLS and a login. */
  void secure(Properties broker, List<KafkaSettings.Listener> others)
      throws IOException, InterruptedException {
    makeCertificate();
    Map<String, String> secured = new HashMap<>();
    List<String> protocols = new ArrayList<>(List.of("CONTROLLER:SASL_SSL"));
    client(ADMIN);
    List<String> listeners = new ArrayList<>(List.of(KafkaSettings.CLIENTS));
    others.forEach(listener -> listeners.add(listener.name()));
    for (String listener : listeners) {
      protocols.add(listener + ":SASL_SSL");
      secured.put(
          "listener.name.%s.scram-sha-512.sasl.jaas.config"
              .formatted(listener.toLowerCase(Locale.ROOT)),
          login(BROKER));
    }
    secured.put("listener.security.protocol.map", String.join(",", protocols));
    secured.put("sasl.enabled.mechanisms", MECHANISM.mechanismName());
    secured.put("sasl.mechanism.inter.broker.protocol", MECHANISM.mechanismName());
    // A controller is reached before it knows any user of SCRAM.
    secured.put("listener.name.controller.sasl.enabled.mechanisms", "PLAIN");
    secured.put("sasl.mechanism.controller.protocol", "PLAIN");
    secured.put(
        "listener.name.controller.plain.sasl.jaas.config",
        "%s required username=\"%s\" password=\"%s\" user_%s=\"%s\";"
            .formatted(
                PlainLoginModule.class.getName(),
                BROKER,
                password(BROKER),
                BROKER,
                password(BROKER)));
    secured.put("ssl.keystore.type", "PKCS12");
    secured.put("ssl.keystore.location", keystore().file().toString());
    secured.put("ssl.keystore.password", password("keystore"));
    secured.put("ssl.key.password", password("keystore"));
    secured.put("ssl.truststore.type", "PEM");
    secured.put("ssl.truststore.location", certificate().toString());
    secured.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    secured.put("super.users", "User:%s;User:%s".formatted(BROKER, ADMIN));
    secured.put(FIRST_USERS, first(BROKER) + "\n" + first(ADMIN));
    broker.putAll(secured);
  }

  private String first(String user) {
    return "%s=[name=%s,password=%s]".formatted(MECHANISM.mechanismName(), user, password(user));
  }

  private Keystore keystore() {
    return new Keystore(data.secure().resolve("kafka.p12"), password("keystore"));
  }

  private void makeCertificate() throws IOException {
    if (Files.exists(certificate())) {
      return;
    }
    OwnFiles.folder(data.secure());
    Files.deleteIfExists(keystore().file());
    keystore()
        .generate(
            "stoker-kafka", "-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", VALID_DAYS);
    Files.setPosixFilePermissions(keystore().file(), PosixFilePermissions.fromString("rw-------"));
    // Written last: where it is, all is made.
    Files.writeString(certificate(), keystore().certificate());
  }

  /** Makes the users of a stack's services and gives them their rights. */
  public void admit(KafkaAccess admin, Topics topics, Collection<String> hosts) throws Exception {
    Rights rights = new Rights(topics);
    List<AclBinding> all =
        Stream.concat(
                rights.dispatcher("User:" + DISPATCHER, DISPATCHER).stream(),
                hosts.stream().flatMap(host -> rights.host("User:" + agent(host), host).stream()))
            .toList();
    try (Admin client =
        admin.admin(Map.of("default.api.timeout.ms", 10_000, "request.timeout.ms", 10_000))) {
      client
          .alterUserScramCredentials(
              Stream.concat(Stream.of(DISPATCHER), hosts.stream().map(SecureKafka::agent))
                  .map(this::credential)
                  .toList())
          .all()
          .get();
      client.createAcls(all).all().get();
    }
  }

  private UserScramCredentialAlteration credential(String user) {
    return new UserScramCredentialUpsertion(
        user, new ScramCredentialInfo(MECHANISM, ITERATIONS), password(user));
  }
}
