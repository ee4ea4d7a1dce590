package io.stoker.cli.stack;

import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.stack.kafka.KafkaSettings;
import io.stoker.cli.stack.kafka.SecureKafka;
import io.stoker.cli.stack.postgres.Database;
import io.stoker.cli.stack.service.Backends;
import io.stoker.cli.stack.service.StackTokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Names and addresses of everything in a stack. */
record StackPlan(StackOptions options, StackSettings settings, DataFolder data) {
  private static final String DATABASE = "stoker";

  /** Names of all ports that a stack needs. */
  static List<String> portNames(StackOptions options) {
    List<String> names = new ArrayList<>(List.of("kafka", "kafka-controller", "postgres", "redis"));
    names.addAll(dispatcherNames(options));
    options.kafkaListeners().keySet().forEach(name -> names.add(kafkaPort(name)));
    return names;
  }

  List<String> dispatchers() {
    return dispatcherNames(options);
  }

  List<String> hosts() {
    return IntStream.rangeClosed(1, options.size().hosts()).mapToObj(i -> "host-" + i).toList();
  }

  int port(String name) {
    return settings.ports().get(name);
  }

  /** The broker's listeners beside the one that the stack uses. */
  List<KafkaSettings.Listener> kafkaListeners() {
    return options.kafkaListeners().entrySet().stream()
        .map(
            listener ->
                new KafkaSettings.Listener(
                    listener.getKey(), port(kafkaPort(listener.getKey())), listener.getValue()))
        .toList();
  }

  private static String kafkaPort(String listener) {
    return "kafka-" + listener;
  }

  String bootstrap() {
    return "127.0.0.1:" + port("kafka");
  }

  Database database() {
    return new Database(port("postgres"), settings.postgresPassword(), DATABASE);
  }

  Backends backends() {
    return new Backends(
        bootstrap(), database(), "redis://127.0.0.1:" + port("redis"), settings.redisPassword());
  }

  Addresses addresses() {
    String url =
        dispatchers().stream()
            .findFirst()
            .map(name -> "http://127.0.0.1:" + port(name))
            .orElse(null);
    return new Addresses(
        bootstrap(),
        url,
        database().urlWithCredentials(),
        "redis://:%s@127.0.0.1:%d".formatted(settings.redisPassword(), port("redis")),
        kafka().map(kafka -> kafka.file(SecureKafka.ADMIN).toString()).orElse(null),
        tokens().map(tokens -> tokens.own().toString()).orElse(null));
  }

  /** What makes Kafka secure, if it is to be. */
  Optional<SecureKafka> kafka() {
    return Optional.ofNullable(settings.kafkaSecret())
        .map(secret -> new SecureKafka(data, secret, port("kafka")));
  }

  /** Those that dispatchers ask for, if they are to be the stack's own. */
  Optional<StackTokens> tokens() {
    boolean others =
        StackTokens.isNamedIn(System.getenv(), options.settings())
            || StackTokens.isNamedIn(options.environments().dispatchers(), Map.of());
    return Optional.ofNullable(settings.kafkaSecret())
        .filter(secret -> !others)
        .map(secret -> new StackTokens(data, secret));
  }

  private static List<String> dispatcherNames(StackOptions options) {
    return IntStream.rangeClosed(1, options.size().dispatchers())
        .mapToObj(i -> "dispatcher-" + i)
        .toList();
  }
}
