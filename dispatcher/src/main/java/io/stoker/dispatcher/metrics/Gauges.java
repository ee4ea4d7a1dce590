package io.stoker.dispatcher.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.store.ApiQueries;
import io.stoker.dispatcher.store.ApiQueries.QueueCount;
import io.stoker.dispatcher.store.Database;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;

/**
 * Levels. Those of the database are counted because somebody reads them, and shown as of the
 * reading before: nobody who scrapes waits for the database, and nothing is counted for nobody.
 */
@ApplicationScoped
public class Gauges {
  private static final Logger LOG = Logger.getLogger(Gauges.class);
  private static final long FRESH_NANOS = 2_000_000_000L;

  private final Database database;
  private final HostDirectory directory;
  private final MeterRegistry meters;
  private final AtomicLong countedAt = new AtomicLong(System.nanoTime() - FRESH_NANOS);
  private volatile List<QueueCount> counts = List.of();

  Gauges(Database database, HostDirectory directory, MeterRegistry meters) {
    this.database = database;
    this.directory = directory;
    this.meters = meters;
  }

  void start(@Observes StartupEvent event) {
    meters.gauge("stoker.jobs.ready", this, Gauges::ready);
    meters.gauge("stoker.attempts.open", this, Gauges::open);
    meters.gauge("stoker.hosts.alive", directory, HostDirectory::countAlive);
    countAgain();
  }

  private double ready() {
    countAgain();
    return counts.stream().mapToLong(QueueCount::queued).sum();
  }

  private double open() {
    countAgain();
    return counts.stream().mapToLong(QueueCount::open).sum();
  }

  private void countAgain() {
    long before = countedAt.get();
    long now = System.nanoTime();
    if (now - before < FRESH_NANOS || !countedAt.compareAndSet(before, now)) {
      return;
    }
    database
        .readOnce(ApiQueries::queues)
        .subscribe()
        .with(
            counted -> counts = counted,
            error -> LOG.debugf("levels could not be counted: %s", error.getMessage()));
  }
}
