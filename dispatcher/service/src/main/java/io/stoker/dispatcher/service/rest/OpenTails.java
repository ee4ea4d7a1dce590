package io.stoker.dispatcher.service.rest;

import io.quarkus.runtime.Startup;
import io.stoker.common.life.Setting;
import io.stoker.dispatcher.service.config.StokerConfig;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts who reads how many outputs at a time: each takes a connection to Kafka. */
@Startup
@Singleton
public class OpenTails {
  private final int most;
  private final Map<String, Integer> open = new ConcurrentHashMap<>();

  OpenTails(StokerConfig config) {
    most = (int) Setting.count("stoker.http.open-logs", 1, config.http().openLogs());
  }

  /** One that is read; to be closed when that is over. */
  interface Opened extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Counts one more.
   *
   * @throws ApiException 429
   */
  Opened open(String caller) {
    open.merge(
        caller,
        1,
        (before, one) -> {
          if (before >= most) {
            throw ApiException.tooManyLogs(most);
          }
          return before + one;
        });
    return () -> open.compute(caller, (who, before) -> before == 1 ? null : before - 1);
  }

  /** How many somebody reads now. */
  public int of(String caller) {
    return open.getOrDefault(caller, 0);
  }
}
