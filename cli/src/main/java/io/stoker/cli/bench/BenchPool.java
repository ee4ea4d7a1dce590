package io.stoker.cli.bench;

import java.util.Locale;
import java.util.Map;

/** The pool of a stack that is started to measure warm workers. */
final class BenchPool {
  private static final String KEY = "STOKER_POOLS_" + Requests.POOL.toUpperCase(Locale.ROOT) + "_";

  private BenchPool() {}

  /**
   * Two workers, with queues so long that what is under way between the topics, Postgres and the
   * disk does not run dry.
   */
  static Map<String, String> environment() {
    return Map.of(
        KEY + "COMMAND", String.join(",", NoopWorker.command()),
        KEY + "MIN", "2",
        KEY + "MAX", "2",
        KEY + "QUEUE", "250",
        KEY + "OUTPUT", "500");
  }
}
