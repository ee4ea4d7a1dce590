package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.attempt.AttemptReports.Refusal;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Hosts that could not take a shape of job, until they report a change, or for {@link #LONGEST}:
 * the change may be told to a replica that cannot pass it on. Soft state: forgetting it costs one
 * more returned placement.
 */
@ApplicationScoped
public class Refusals {
  /** How long a host is not asked again of which nothing else is heard. */
  public static final Duration LONGEST = Duration.ofSeconds(30);

  /** When each host refused each shape, by a clock of nanoseconds. */
  private final Map<String, Map<String, Long>> hostsByShape = new ConcurrentHashMap<>();

  private final Consumer<News> news;
  private final LongSupplier nanos;

  @Inject
  Refusals(Event<News> news) {
    this(news::fire, System::nanoTime);
  }

  /**
   * By another clock.
   *
   * @param news is given what other replicas are to know
   * @param nanos a clock that never goes back
   */
  public Refusals(Consumer<News> news, LongSupplier nanos) {
    this.news = news;
    this.nanos = nanos;
  }

  /**
   * What other replicas are to know: whichever schedules.
   *
   * @param shape that the host could not take; null if it may be asked for all again
   */
  public record News(String host, String shape) {}

  public void refused(Refusal refusal) {
    News heard = new News(refusal.host(), refusal.shape());
    heard(heard);
    news.accept(heard);
  }

  /** The host has reported a change, or had an attempt end: it may be asked again. */
  public void changed(String host) {
    if (forget(host)) {
      news.accept(new News(host, null));
    }
  }

  /** Another replica, or this one itself, has told it. */
  public void heard(News told) {
    if (told.shape() == null) {
      forget(told.host());
    } else {
      hostsByShape
          .computeIfAbsent(told.shape(), shape -> new ConcurrentHashMap<>())
          .put(told.host(), nanos.getAsLong());
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
    hosts.values().removeIf(since -> now - since >= LONGEST.toNanos());
    return Set.copyOf(hosts.keySet());
  }
}
