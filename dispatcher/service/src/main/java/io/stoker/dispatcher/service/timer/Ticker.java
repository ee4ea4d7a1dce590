package io.stoker.dispatcher.service.timer;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.dispatcher.coordinator.dependency.FanOutPump;
import io.stoker.dispatcher.coordinator.leader.Leadership;
import io.stoker.dispatcher.coordinator.placement.Scheduler;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.Beat;
import io.stoker.dispatcher.coordinator.timer.Retries;
import io.stoker.dispatcher.service.attempt.TakenOverEvents;
import io.stoker.dispatcher.service.lease.HeartbeatReader;
import io.stoker.dispatcher.service.status.StatusReader;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import org.jboss.logging.Logger;

/** Starts what runs by itself, and stops it before its sources close. */
@ApplicationScoped
public class Ticker {
  private static final Logger LOG = Logger.getLogger(Ticker.class);

  private final Beat beat;
  private final Leadership leadership;
  private final Retries retries;
  private final HeartbeatReader heartbeats;
  private final Scheduler scheduler;
  private final FanOutPump fanOuts;
  private final StatusPublisher statuses;
  private final StatusReader published;
  private final TakenOverEvents events;
  private final Retention retention;

  Ticker(
      Beat beat,
      Leadership leadership,
      Retries retries,
      HeartbeatReader heartbeats,
      Scheduler scheduler,
      FanOutPump fanOuts,
      StatusPublisher statuses,
      StatusReader published,
      TakenOverEvents events,
      Retention retention) {
    this.beat = beat;
    this.leadership = leadership;
    this.retries = retries;
    this.heartbeats = heartbeats;
    this.scheduler = scheduler;
    this.fanOuts = fanOuts;
    this.statuses = statuses;
    this.published = published;
    this.events = events;
    this.retention = retention;
  }

  void start(@Observes StartupEvent event) {
    heartbeats.start();
    published.start(() -> leadership.epoch().isPresent());
    beat.start();
  }

  void stop(@Observes ShutdownEvent event) throws InterruptedException {
    beat.stop();
    events.stop();
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
}
