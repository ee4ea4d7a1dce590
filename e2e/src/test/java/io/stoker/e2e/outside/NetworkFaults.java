package io.stoker.e2e.outside;

import io.stoker.common.fixture.FaultyProxy;
import io.stoker.e2e.outside.Lane.Fault;
import io.stoker.e2e.stack.Proxies;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** What may happen to the connections of one dispatcher or agent, for a while. */
final class NetworkFaults {
  static final List<String> DISPATCHERS = List.of("dispatcher-1", "dispatcher-2");
  static final List<String> AGENTS = List.of("agent-host-1", "agent-host-2");

  private static final int LONGEST_MS = 10_000;
  private static final Duration DELAY = Duration.ofMillis(150);
  private static final long BYTES_PER_SECOND = 100_000;

  private final Proxies proxies;
  private final Random random;

  NetworkFaults(Proxies proxies, long seed) {
    this.proxies = proxies;
    random = new Random(seed);
  }

  Map<String, Fault> all() {
    Map<String, Fault> faults = new HashMap<>();
    add(faults, "Kafka, of a dispatcher", DISPATCHERS, Proxies::kafka);
    add(faults, "Kafka, of an agent", AGENTS, Proxies::kafka);
    add(faults, "Postgres", DISPATCHERS, Proxies::postgres);
    add(faults, "Redis", DISPATCHERS, Proxies::redis);
    return faults;
  }

  private void add(
      Map<String, Fault> faults,
      String behind,
      List<String> services,
      BiFunction<Proxies, String, FaultyProxy> proxy) {
    Map<String, Consumer<FaultyProxy>> ways =
        Map.of(
            "stalled", FaultyProxy::stall,
            "swallowed", FaultyProxy::blackHole,
            "requests lost", FaultyProxy::loseRequests,
            "answers lost", FaultyProxy::loseAnswers,
            "slow", one -> one.slow(DELAY, BYTES_PER_SECOND),
            "reset", FaultyProxy::reset,
            "refused", FaultyProxy::refuse);
    ways.forEach(
        (name, way) ->
            faults.put(
                "connections to %s: %s".formatted(behind, name),
                () -> {
                  String service = services.get(random.nextInt(services.size()));
                  FaultyProxy one = proxy.apply(proxies, service);
                  way.accept(one);
                  try {
                    Thread.sleep(random.nextInt(LONGEST_MS));
                  } finally {
                    one.pass();
                  }
                }));
  }
}
