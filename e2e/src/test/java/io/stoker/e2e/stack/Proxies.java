package io.stoker.e2e.stack;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.stack.StackOptions;
import io.stoker.common.fixture.FaultyProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Proxies between single services of a stack and what they connect to: each of the named services
 * has its own before Kafka, before Postgres and before Redis, so that the network of one fails and
 * that of the others does not. The stack's own tools, and the test, connect directly.
 *
 * <pre>{@code
 * try (Proxies proxies = Proxies.of("dispatcher-1", "agent-host-1");
 *     StokerStack stack = StokerStack.start("name", options, proxies)) {
 *   proxies.postgres("dispatcher-1").blackHole();
 * }
 * }</pre>
 */
public final class Proxies implements AutoCloseable {
  private static final String KAFKA = "kafka";
  private static final String POSTGRES = "postgres";
  private static final String REDIS = "redis";

  /** By service, by what is behind. */
  private final Map<String, Map<String, FaultyProxy>> proxies = new LinkedHashMap<>();

  private volatile DataFolder data;

  private Proxies() {}

  /**
   * @param services {@code dispatcher-1}, {@code agent-host-1}, …
   */
  public static Proxies of(String... services) {
    Proxies all = new Proxies();
    for (String service : services) {
      all.proxies.put(
          service,
          Map.of(
              KAFKA, FaultyProxy.before(() -> all.port(KAFKA + "-" + listener(service))),
              POSTGRES, FaultyProxy.before(() -> all.port(POSTGRES)),
              REDIS, FaultyProxy.before(() -> all.port(REDIS))));
    }
    return all;
  }

  public FaultyProxy kafka(String service) {
    return proxies.get(service).get(KAFKA);
  }

  public FaultyProxy postgres(String service) {
    return proxies.get(service).get(POSTGRES);
  }

  public FaultyProxy redis(String service) {
    return proxies.get(service).get(REDIS);
  }

  /** All three of a service. */
  public List<FaultyProxy> before(String service) {
    return new ArrayList<>(proxies.get(service).values());
  }

  /** The options of a stack whose services go through their proxies. */
  StackOptions in(StackOptions options) {
    Map<String, Map<String, String>> environments =
        new HashMap<>(options.environments().byService());
    Map<String, String> listeners = new HashMap<>(options.kafkaListeners());
    for (String service : proxies.keySet()) {
      Map<String, String> environment = new HashMap<>(environments.getOrDefault(service, Map.of()));
      environment.put("STOKER_KAFKA_BOOTSTRAP_SERVERS", kafka(service).address());
      environment.put(
          "STOKER_POSTGRES_URL", "postgresql://%s/stoker".formatted(postgres(service).address()));
      environment.put("STOKER_REDIS_URL", "redis://" + redis(service).address());
      environments.put(service, environment);
      listeners.put(listener(service), kafka(service).address());
    }
    return options.withEnvironments(environments).withKafkaListeners(listeners);
  }

  /** Where the stack's ports are to be found. */
  void connectTo(DataFolder folder) {
    data = folder;
  }

  private int port(String name) {
    try {
      return StackSettings.read(data).orElseThrow().ports().get(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String listener(String service) {
    return service.replace('-', '_').toUpperCase(Locale.ROOT);
  }

  @Override
  public void close() {
    proxies.values().stream()
        .map(Map::values)
        .flatMap(Collection::stream)
        .forEach(FaultyProxy::close);
  }
}
