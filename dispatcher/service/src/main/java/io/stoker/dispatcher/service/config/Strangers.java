package io.stoker.dispatcher.service.config;

import io.stoker.dispatcher.host.HostDirectory;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Remembers for a while whose messages were refused: nobody else hears of who is ignored. */
@ApplicationScoped
public class Strangers {
  /** A host says something each few seconds. */
  private static final Duration REMEMBERED = Duration.ofSeconds(30);

  private static final int MOST = 256;

  private final HostDirectory directory;
  private final Map<String, Stranger> strangers = new HashMap<>();

  /**
   * Somebody who is not believed to be the host that it says it is.
   *
   * @param heard when it last said something, by {@link System#nanoTime}
   */
  private record Stranger(String reason, long heard) {
    boolean isLater(long nanos) {
      return nanos - heard < REMEMBERED.toNanos();
    }
  }

  Strangers(HostDirectory directory) {
    this.directory = directory;
  }

  /** A message in the name of this host was refused, which is no silence: the host is held. */
  void refused(String host, String reason) {
    directory.refused(host);
    doubt(host, reason, System.nanoTime());
  }

  private synchronized void doubt(String host, String reason, long now) {
    strangers.values().removeIf(one -> !one.isLater(now));
    if (strangers.size() < MOST || strangers.containsKey(host)) {
      strangers.put(host, new Stranger(reason, now));
    }
  }

  /** Why messages in the name of these hosts were ignored of late, by name. */
  public synchronized SortedMap<String, String> ignored() {
    long now = System.nanoTime();
    SortedMap<String, String> why = new TreeMap<>();
    strangers.forEach(
        (host, one) -> {
          if (one.isLater(now)) {
            why.put(host, one.reason());
          }
        });
    return why;
  }
}
