package io.stoker.dispatcher.host;

import io.stoker.dispatcher.attempt.AttemptReports.Refusal;
import io.stoker.dispatcher.model.Shape;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Hosts that could not take a shape of job, until they report a change, or until it is time to ask
 * them again: when they said themselves, or after {@link #LONGEST}, since the change may be told to
 * a replica that cannot pass it on. Soft state: forgetting it costs one more returned placement.
 */
public final class RecentRejections {
  /** How long a host is not asked again of which nothing else is heard. */
  public static final Duration LONGEST = Duration.ofSeconds(30);

  /** Until when each host is not asked for each shape, by a clock of nanoseconds. */
  private final Map<String, Map<String, Long>> hostsByShape = new ConcurrentHashMap<>();

  private final Consumer<News> news;
  private final LongConsumer askAgain;
  private final LongSupplier nanos;

  /**
   * @param news is given what other replicas are to know
   * @param askAgain is told in how many ms there may be something to place
   * @param nanos a clock that never goes back
   */
  public RecentRejections(Consumer<News> news, LongConsumer askAgain, LongSupplier nanos) {
    this.news = news;
    this.askAgain = askAgain;
    this.nanos = nanos;
  }

  /**
   * What other replicas are to know: whichever schedules.
   *
   * @param shape that the host could not take; null if it may be asked for all again
   * @param forMs how long it is not asked, ms
   */
  public record News(String host, String shape, long forMs) {}

  /** A host may be asked again in so many ms for what it could not take. */
  public record AskAgain(long inMs) {}

  public void refused(Refusal refusal) {
    long longest = LONGEST.toMillis();
    long forMs = refusal.againMs() == null ? longest : Math.clamp(refusal.againMs(), 0, longest);
    News heard = new News(refusal.host(), refusal.shape(), forMs);
    heard(heard);
    news.accept(heard);
  }

  /**
   * The host has reported a change, or had an attempt end: it may be asked again.
   *
   * @return whether there was something that it was not to be asked
   */
  public boolean changed(String host) {
    boolean known = forget(host);
    if (known) {
      news.accept(new News(host, null, 0));
    }
    return known;
  }

  /** Another replica, or this one itself, has told it. */
  public void heard(News told) {
    if (told.shape() == null) {
      forget(told.host());
    } else {
      hostsByShape
          .computeIfAbsent(told.shape(), shape -> new ConcurrentHashMap<>())
          .put(told.host(), nanos.getAsLong() + TimeUnit.MILLISECONDS.toNanos(told.forMs()));
      if (told.forMs() < LONGEST.toMillis()) {
        askAgain.accept(told.forMs());
      }
    }
  }

  private boolean forget(String host) {
    boolean known = false;
    for (Map<String, Long> hosts : hostsByShape.values()) {
      known |= hosts.remove(host) != null;
    }
    // Whoever refuses at this moment is asked once more.
    hostsByShape.values().removeIf(Map::isEmpty);
    return known;
  }

  /** Those that could not take it. */
  public Set<String> hosts(Shape shape) {
    return hostsByShape.isEmpty() ? Set.of() : hosts(shape.text());
  }

  public Set<String> hosts(String shape) {
    Map<String, Long> hosts = hostsByShape.getOrDefault(shape, Map.of());
    if (hosts.isEmpty()) {
      return Set.of();
    }
    long now = nanos.getAsLong();
    hosts.values().removeIf(until -> now - until >= 0);
    return Set.copyOf(hosts.keySet());
  }
}
