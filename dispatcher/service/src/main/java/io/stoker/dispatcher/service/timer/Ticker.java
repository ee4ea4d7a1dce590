package io.stoker.dispatcher.service.timer;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.dependency.FanOutPump;
import io.stoker.dispatcher.service.leader.Leadership;
import io.stoker.dispatcher.service.lease.HeartbeatReader;
import io.stoker.dispatcher.service.placement.Scheduler;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.PendingWork;
import io.stoker.dispatcher.service.retention.Retention;
import io.stoker.dispatcher.service.status.StatusReader;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.OptionalLong;
import org.jboss.logging.Logger;

/** Starts what runs by itself, gives it a beat a second, and stops it before its sources close. */
@ApplicationScoped
public class Ticker {
  private static final Logger LOG = Logger.getLogger(Ticker.class);
  private static final long BEAT_MS = 1000;

  /** Beats from one sweep that sees to everything, what only grows old too, to the next. */
  private static final int THOROUGH = 60;

  private final Vertx vertx;
  private final Database database;
  private final Leadership leadership;
  private final Sweep sweep;
  private final Retries retries;
  private final ClockKeeper clock;
  private final HeartbeatReader heartbeats;
  private final Scheduler scheduler;
  private final FanOutPump fanOuts;
  private final StatusPublisher statuses;
  private final StatusReader published;
  private final Retention retention;
  private final Wakes wakes;
  private final Pump beat;
  private long timer;
  private OptionalLong sweptEpoch = OptionalLong.empty();
  private int sweeps;

  Ticker(
      Environment environment,
      Vertx vertx,
      Database database,
      Leadership leadership,
      Sweep sweep,
      Retries retries,
      ClockKeeper clock,
      HeartbeatReader heartbeats,
      Scheduler scheduler,
      FanOutPump fanOuts,
      StatusPublisher statuses,
      StatusReader published,
      Retention retention,
      Wakes wakes) {
    beat = new Pump("sweep", environment, this::beat);
    this.vertx = vertx;
    this.database = database;
    this.leadership = leadership;
    this.sweep = sweep;
    this.retries = retries;
    this.clock = clock;
    this.heartbeats = heartbeats;
    this.scheduler = scheduler;
    this.fanOuts = fanOuts;
    this.statuses = statuses;
    this.published = published;
    this.retention = retention;
    this.wakes = wakes;
  }

  void start(@Observes StartupEvent event) {
    heartbeats.start();
    published.start(() -> leadership.epoch().isPresent());
    beat.wake();
    timer = vertx.setPeriodic(BEAT_MS, id -> beat.wake());
  }

  void stop(@Observes ShutdownEvent event) throws InterruptedException {
    vertx.cancelTimer(timer);
    beat.stop();
    retries.stop();
    scheduler.stop();
    fanOuts.stop();
    retention.stop();
    published.stop();
    statuses.stop();
    heartbeats.stop();
    try {
      leadership.release().await().atMost(Duration.ofSeconds(2));
    } catch (RuntimeException e) {
      LOG.infof("the fleet is left to expire: %s", e.getMessage());
    }
  }

  private Uni<Boolean> beat() {
    return leadership
        .renew()
        .call(clock::look) // what is due is looked for by a clock that has not jumped
        .chain(schedules -> database.read(PendingWork::look).call(work -> sweep(schedules, work)))
        .invoke(this::hint)
        .replaceWith(false);
  }

  private Uni<Void> sweep(boolean schedules, PendingWork work) {
    OptionalLong epoch = schedules ? leadership.epoch() : OptionalLong.empty();
    // What a former scheduler has seen to, this one has not read.
    sweeps = epoch.equals(sweptEpoch) ? sweeps + 1 : 0;
    sweptEpoch = epoch;
    if (epoch.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    retention.wake();
    return sweep.run(sweeps % THOROUGH == 0 ? PendingWork.ALL : work);
  }

  private void hint(PendingWork work) {
    if (work.fanOuts()) {
      wakes.fanOutWanted();
    }
    if (work.statuses()) {
      statuses.wake();
    }
  }
}
