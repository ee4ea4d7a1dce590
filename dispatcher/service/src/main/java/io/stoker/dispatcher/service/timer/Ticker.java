package io.stoker.dispatcher.service.timer;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.dispatcher.coordinator.leader.LeaderElection;
import io.stoker.dispatcher.coordinator.timer.Beat;
import io.stoker.dispatcher.service.host.HeartbeatReader;
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
  private final LeaderElection election;
  private final HeartbeatReader heartbeats;
  private final StatusReader published;
  private final BackgroundTasks tasks;

  Ticker(
      Beat beat,
      LeaderElection election,
      HeartbeatReader heartbeats,
      StatusReader published,
      BackgroundTasks tasks) {
    this.beat = beat;
    this.election = election;
    this.heartbeats = heartbeats;
    this.published = published;
    this.tasks = tasks;
  }

  void start(@Observes StartupEvent event) {
    heartbeats.start();
    published.start(() -> election.epoch().isPresent());
    beat.start();
  }

  void stop(@Observes ShutdownEvent event) throws InterruptedException {
    beat.stop();
    published.stop();
    tasks.stop();
    heartbeats.stop();
    try {
      election.release().await().atMost(Duration.ofSeconds(2));
    } catch (RuntimeException e) {
      LOG.infof("the fleet is left to expire: %s", e.getMessage());
    }
  }
}
