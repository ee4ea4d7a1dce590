package io.stoker.dispatcher.service.leader;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.common.life.LastResort;
import io.stoker.common.life.ProcessEnd;
import io.stoker.common.life.Vital;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.eclipse.microprofile.config.Config;
import org.jboss.logging.Logger;

/**
 * Ends a dispatcher that hangs for good, so that whoever supervises it starts another one: what it
 * waits for never comes, though Postgres and Kafka answer those who ask them on new connections.
 */
@ApplicationScoped
public class HangWatch {
  private static final Logger LOG = Logger.getLogger(HangWatch.class);
  private static final long LOOK_S = 10;
  private static final int ANSWER_S = 5;

  private final Fitness fitness;
  private final LastResort lastResort;
  private final DatabaseAddress database;
  private final KafkaAccess kafka;
  private final ScheduledExecutorService clock = Vital.clock("hang-watch", 1);

  HangWatch(Fitness fitness, KafkaAccess kafka, StokerConfig config, Config all) {
    this.fitness = fitness;
    lastResort = new LastResort(config.restartAfter());
    database = DatabaseAddress.of(all);
    this.kafka = kafka;
  }

  void start(@Observes StartupEvent event) {
    clock.scheduleWithFixedDelay(this::look, LOOK_S, LOOK_S, TimeUnit.SECONDS);
  }

  void stop(@Observes ShutdownEvent event) {
    clock.shutdownNow();
  }

  private void look() {
    lastResort
        .look(
            fitness.troubles(),
            () -> postgresAnswers() && kafkaAnswers(),
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime()))
        .ifPresent(why -> ProcessEnd.because(why, null));
  }

  private boolean postgresAnswers() {
    try (Connection connection = database.connect(ANSWER_S, ANSWER_S)) {
      return connection.isValid(ANSWER_S);
    } catch (SQLException e) {
      LOG.debugf("Postgres does not answer: %s", e.getMessage());
      return false;
    }
  }

  private boolean kafkaAnswers() {
    try (Admin admin = kafka.admin(Map.of())) {
      try {
        return !admin.describeCluster().nodes().get(ANSWER_S, TimeUnit.SECONDS).isEmpty();
      } finally {
        admin.close(Duration.ZERO);
      }
    } catch (KafkaException | ExecutionException | TimeoutException e) {
      LOG.debugf("Kafka does not answer: %s", e.getMessage());
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
