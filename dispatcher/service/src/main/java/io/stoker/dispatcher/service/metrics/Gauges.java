package io.stoker.dispatcher.service.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.quarkus.runtime.StartupEvent;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.ApiQueries.KindCount;
import io.stoker.dispatcher.service.postgres.ApiQueries.QueueCount;
import io.stoker.dispatcher.service.postgres.Database;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Levels. Those of the database are counted because somebody reads them, and shown as of the
 * reading before: nobody who scrapes waits for the database, and nothing is counted for nobody.
 */
@ApplicationScoped
public class Gauges {
  private static final Logger LOG = Logger.getLogger(Gauges.class);
  private static final long FRESH_NANOS = 2_000_000_000L;

  /** Jobs in line of which more are counted by queue alone. */
  private static final long MOST_BY_KIND = 50_000;

  private final Database database;
  private final HostDirectory directory;
  private final MeterRegistry meters;
  private final AtomicLong countedAt = new AtomicLong(System.nanoTime() - FRESH_NANOS);
  private final JobLabels labels = new JobLabels();
  private final MultiGauge ready;
  private final MultiGauge open;
  private volatile List<QueueCount> counts = List.of();

  Gauges(Database database, HostDirectory directory, MeterRegistry meters) {
    this.database = database;
    this.directory = directory;
    this.meters = meters;
    ready = MultiGauge.builder("stoker.queue.jobs.ready").register(meters);
    open = MultiGauge.builder("stoker.queue.attempts.open").register(meters);
  }

  void start(@Observes StartupEvent event) {
    meters.gauge("stoker.jobs.ready", this, Gauges::allReady);
    meters.gauge("stoker.attempts.open", this, Gauges::allOpen);
    meters.gauge("stoker.hosts.alive", directory, HostDirectory::countAlive);
    countAgain();
  }

  private double allReady() {
    countAgain();
    return counts.stream().mapToLong(QueueCount::queued).sum();
  }

  private double allOpen() {
    countAgain();
    return counts.stream().mapToLong(QueueCount::open).sum();
  }

  private void countAgain() {
    long before = countedAt.get();
    long now = System.nanoTime();
    if (now - before < FRESH_NANOS || !countedAt.compareAndSet(before, now)) {
      return;
    }
    database.readOnce(ApiQueries::queues).subscribe().with(this::counted, Gauges::uncounted);
  }

  private static void uncounted(Throwable error) {
    LOG.debugf("levels could not be counted: %s", error.getMessage());
  }

  /** By kind, too, unless so many are in line that it would cost the database much. */
  private void counted(List<QueueCount> byQueue) {
    counts = byQueue;
    if (byQueue.stream().mapToLong(QueueCount::queued).sum() > MOST_BY_KIND) {
      show(byQueue.stream().map(one -> one.ofKind(JobLabels.UNKNOWN)).toList());
    } else {
      database.readOnce(ApiQueries::kinds).subscribe().with(this::show, Gauges::uncounted);
    }
  }

  private void show(List<KindCount> byKind) {
    ready.register(rows(byKind, KindCount::queued), true);
    open.register(rows(byKind, KindCount::open), true);
  }

  private List<MultiGauge.Row<?>> rows(List<KindCount> byKind, ToLongFunction<KindCount> level) {
    Map<JobLabels.Pair, Long> sums =
        byKind.stream()
            .collect(
                Collectors.groupingBy(
                    one -> labels.of(one.queue(), Optional.of(one.kind())),
                    Collectors.summingLong(level)));
    return sums.entrySet().stream()
        .<MultiGauge.Row<?>>map(sum -> MultiGauge.Row.of(sum.getKey().tags(), sum.getValue()))
        .toList();
  }
}
