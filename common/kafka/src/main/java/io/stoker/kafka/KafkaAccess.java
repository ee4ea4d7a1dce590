package io.stoker.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * The access to Kafka: the brokers' addresses, TLS and login, by Kafka's own names. It makes every
 * client, so that none is made without them.
 */
public final class KafkaAccess {
  /** What configuration keys start with; Kafka's own name of a setting follows. */
  public static final String PREFIX = "stoker.kafka.";

  /** Names a file of Kafka's own form, as its tools take it by {@code --command-config}. */
  public static final String CONFIG = "config";

  static final String BOOTSTRAP = CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;
  private static final String BOOTSTRAP_KEY = PREFIX + "bootstrap-servers";
  private static final String DEFAULT_BOOTSTRAP = "localhost:9092";
  private static final Pattern USER =
      Pattern.compile("(username|clientId)\\s*=\\s*[\"']?([^\"';\\s]+)");

  /** Kafka fetches tokens from no address that this system property does not name. */
  private static final String TOKEN_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";

  private static final String TOKEN_URL = "sasl.oauthbearer.token.endpoint.url";

  private final Map<String, Object> settings;
  private final Optional<Path> file;

  private KafkaAccess(Map<String, Object> settings, Optional<Path> file) {
    Map<String, Object> all = new HashMap<>(settings);
    // Else each client registers hundreds of beans with JMX, a tenth of what its start takes.
    all.putIfAbsent(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, "");
    this.settings = Map.copyOf(all);
    this.file = file;
  }

  /** Without TLS and login. */
  public static KafkaAccess at(String bootstrap) {
    return new KafkaAccess(Map.of(BOOTSTRAP, bootstrap), Optional.empty());
  }

  /**
   * By the settings in a file.
   *
   * @param file without it, there is neither TLS nor a login
   */
  public static KafkaAccess at(String bootstrap, Optional<Path> file) {
    Map<String, Object> settings = new HashMap<>();
    file.ifPresent(path -> settings.putAll(read(path)));
    settings.put(BOOTSTRAP, bootstrap);
    return new KafkaAccess(settings, file);
  }

  /**
   * As configured: by single keys, which win, and by the file that {@code stoker.kafka.config}
   * names.
   *
   * @param names of all properties and variables that there are; those of others are passed over
   * @param value of a property, also where a variable gives it; null if nothing does
   * @throws IllegalArgumentException if the file cannot be read
   */
  public static KafkaAccess of(Iterable<String> names, Function<String, String> value) {
    Map<String, Object> own = new HashMap<>();
    for (String name : names) {
      String key = name.toLowerCase(Locale.ROOT).replace('_', '.');
      if (key.startsWith(PREFIX)) {
        put(own, key.substring(PREFIX.length()), value.apply(key));
      }
    }
    own.remove("bootstrap-servers");
    put(own, BOOTSTRAP, value.apply(BOOTSTRAP_KEY));
    Optional<Path> file = Optional.ofNullable((String) own.remove(CONFIG)).map(Path::of);
    Map<String, Object> settings = new HashMap<>(Map.of(BOOTSTRAP, DEFAULT_BOOTSTRAP));
    file.ifPresent(path -> settings.putAll(read(path)));
    settings.putAll(own);
    String tokens = (String) settings.get(TOKEN_URL);
    if (tokens != null && System.getProperty(TOKEN_URLS) == null) {
      // Whoever may write these settings may name the address as well.
      System.setProperty(TOKEN_URLS, tokens);
    }
    return new KafkaAccess(settings, file);
  }

  private static void put(Map<String, Object> settings, String name, String value) {
    if (value != null && !value.isBlank()) {
      settings.put(name, value);
    }
  }

  /**
   * By environment variables alone.
   *
   * @param bootstrap where Kafka is; without it, where the file says
   */
  public static KafkaAccess ofEnvironment(
      Map<String, String> environment, Optional<String> bootstrap) {
    Function<String, String> value =
        key -> environment.get(key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT));
    return of(
        environment.keySet(),
        key -> key.equals(BOOTSTRAP_KEY) ? bootstrap.orElse(null) : value.apply(key));
  }

  private static Map<String, String> read(Path file) {
    Properties properties = new Properties();
    try (Reader text = Files.newBufferedReader(file)) {
      properties.load(text);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s is %s, which cannot be read: %s".formatted(PREFIX + CONFIG, file, e), e);
    }
    Map<String, String> settings = new HashMap<>();
    properties
        .stringPropertyNames()
        .forEach(name -> settings.put(name, properties.getProperty(name)));
    return settings;
  }

  /** {@code host:port} of brokers, separated by commas. */
  public String bootstrap() {
    return text(BOOTSTRAP, DEFAULT_BOOTSTRAP);
  }

  /** All settings by Kafka's names, for a client that somebody else makes. They hold passwords. */
  public Map<String, Object> settings() {
    return settings;
  }

  /**
   * A consumer.
   *
   * @param own what it is set to beside
   */
  public <K, V> KafkaConsumer<K, V> consumer(
      Map<String, Object> own, Deserializer<K> keys, Deserializer<V> values) {
    return new KafkaConsumer<>(with(own), keys, values);
  }

  /**
   * A producer.
   *
   * @param own what it is set to beside
   */
  public <K, V> KafkaProducer<K, V> producer(
      Map<String, Object> own, Serializer<K> keys, Serializer<V> values) {
    return new KafkaProducer<>(with(own), keys, values);
  }

  /**
   * A client that asks and changes what there is.
   *
   * @param own what it is set to beside
   */
  public Admin admin(Map<String, Object> own) {
    return Admin.create(with(own));
  }

  private Map<String, Object> with(Map<String, Object> own) {
    Map<String, Object> all = new HashMap<>(settings);
    all.putAll(own);
    return all;
  }

  /** A sentence if others than its owner may read the file with its passwords. */
  public Optional<String> warning() {
    if (file.isEmpty()) {
      return Optional.empty();
    }
    Set<PosixFilePermission> others =
        Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
    try {
      boolean open = Files.getPosixFilePermissions(file.get()).stream().anyMatch(others::contains);
      boolean secret = settings.keySet().stream().anyMatch(KafkaAccess::isSecret);
      return open && secret
          ? Optional.of(
              "%s has passwords and may be read by others: chmod 600 it".formatted(file.get()))
          : Optional.empty();
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  private static boolean isSecret(String name) {
    return name.endsWith("password")
        || name.endsWith("secret")
        || name.endsWith(".key")
        || name.equals(SaslConfigs.SASL_JAAS_CONFIG);
  }

  /** A sentence if it is TLS, the login or a right that an error comes of. */
  public Optional<String> refused(Throwable error) {
    return KafkaTrouble.refused(this, error);
  }

  /** What is wrong, in a sentence: {@link #refused}, else as Kafka says it. */
  public String trouble(Throwable error) {
    return refused(error).orElseGet(() -> KafkaTrouble.said(error));
  }

  /**
   * What keeps a client of these settings from any answer, found without one: TLS or a login that
   * one side has and the other has not. Asks one broker, for at most some seconds; empty if none
   * answers. A client without TLS takes what a broker says in TLS for the length of an answer, and
   * its memory for that.
   */
  public Optional<String> mismatch() {
    return BrokerProbe.first(List.of(bootstrap().split(",")), mechanism().orElse("none"))
        .flatMap(found -> KafkaTrouble.mismatch(this, found));
  }

  /**
   * Whether connections are refused by all brokers that are named: nobody who waits is answered.
   */
  public boolean closed() {
    return BrokerProbe.allClosed(List.of(bootstrap().split(",")));
  }

  boolean tls() {
    return protocol().endsWith("SSL");
  }

  /** How it logs in, such as {@code SCRAM-SHA-512}; empty if it does not. */
  Optional<String> mechanism() {
    return protocol().startsWith("SASL")
        ? Optional.of(text(SaslConfigs.SASL_MECHANISM, SaslConfigs.DEFAULT_SASL_MECHANISM))
        : Optional.empty();
  }

  /** Who this client is to a broker, such as {@code user x (SASL PLAIN)}. */
  String login() {
    Matcher user = USER.matcher(text(SaslConfigs.SASL_JAAS_CONFIG, ""));
    if (mechanism().isEmpty()) {
      return certified() ? "this client's certificate" : "this client";
    }
    return "%s (SASL %s)"
        .formatted(
            user.find()
                ? (user.group(1).equals("clientId") ? "client " : "user ") + user.group(2)
                : "this client",
            mechanism().get());
  }

  /** What these settings are, such as {@code TLS, user x (SASL PLAIN)}. */
  public String security() {
    boolean known = certified() || mechanism().isPresent();
    return "%s, %s".formatted(tls() ? "TLS" : "no TLS", known ? login() : "no login");
  }

  /** Whether it has a certificate of its own to show. */
  boolean certified() {
    return tls() && settings.keySet().stream().anyMatch(name -> name.startsWith("ssl.keystore."));
  }

  private String protocol() {
    return text(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "PLAINTEXT").toUpperCase(Locale.ROOT);
  }

  private String text(String name, String otherwise) {
    return settings.getOrDefault(name, otherwise).toString();
  }

  /** Only where Kafka is: settings hold passwords. */
  @Override
  public String toString() {
    return bootstrap();
  }
}
