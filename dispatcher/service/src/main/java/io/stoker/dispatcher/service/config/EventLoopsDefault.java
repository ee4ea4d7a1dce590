package io.stoker.dispatcher.service.config;

import java.util.Map;
import java.util.Set;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * Sets the number of event loops where nobody does: one for two processors. Each step of a
 * transaction that goes from one loop to another wakes a thread, and on a small machine that takes
 * longer than the step; Quarkus' default of two loops a processor makes nearly every step such a
 * one.
 */
public final class EventLoopsDefault implements ConfigSource {
  private static final String KEY = "quarkus.vertx.event-loops-pool-size";

  /** Below all that people say anywhere. */
  private static final int ORDINAL = 10;

  private final Map<String, String> properties =
      Map.of(KEY, Integer.toString(loops(Runtime.getRuntime().availableProcessors())));

  static int loops(int processors) {
    return Math.max(1, processors / 2);
  }

  @Override
  public int getOrdinal() {
    return ORDINAL;
  }

  @Override
  public Set<String> getPropertyNames() {
    return properties.keySet();
  }

  @Override
  public String getValue(String name) {
    return properties.get(name);
  }

  @Override
  public String getName() {
    return "event loops by processors";
  }
}
