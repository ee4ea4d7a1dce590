package io.stoker.dispatcher.service.host;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import io.smallrye.reactive.messaging.kafka.KafkaConsumer;
import io.stoker.dispatcher.service.leader.Fitness;
import io.vertx.core.Vertx;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Optional;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Gives up the partitions of a replica whose work hangs. Its consumers poll whatever their work
 * does, so that Kafka takes them for well; here they stop to, and after {@code
 * max.poll.interval.ms} their groups go on without them. What was read and not acknowledged comes
 * to another replica then, and changes nothing if this one does it after all. Once nothing hangs
 * they poll, and join, again.
 *
 * <p>Of a replica that is told to stop, consumers are made ready to be closed without waiting.
 */
@ApplicationScoped
public class PartitionYield {
  private static final Logger LOG = Logger.getLogger(PartitionYield.class);
  private static final long LOOK_MS = 1000;

  private final Vertx vertx;
  private final KafkaClientService clients;
  private final Fitness fitness;
  private boolean yielding;
  private long timer;

  PartitionYield(Vertx vertx, KafkaClientService clients, Fitness fitness) {
    this.vertx = vertx;
    this.clients = clients;
    this.fitness = fitness;
  }

  void start(@Observes StartupEvent event) {
    timer = vertx.setPeriodic(LOOK_MS, id -> turn(fitness.hangs()));
  }

  /**
   * Before the consumers are closed, one after the other, on the threads that are held here. Each
   * would wait for the end of a poll; those that are paused poll without waiting.
   */
  void stop(@Observes @Priority(1) ShutdownEvent event) {
    vertx.cancelTimer(timer);
    turn(false);
    each(
        consumer -> {
          consumer.pause().subscribe().with(paused -> {}, LOG::debug);
          // There is none where the start failed.
          Optional.ofNullable(consumer.unwrap()).ifPresent(polling -> polling.wakeup());
        });
  }

  private synchronized void turn(boolean yield) {
    if (yield == yielding) {
      return;
    }
    yielding = yield;
    if (!yield) {
      LOG.info("partitions are read again");
      notifyAll();
      return;
    }
    LOG.warn("partitions are left to other replicas until nothing hangs here");
    Consumer<org.apache.kafka.clients.consumer.Consumer<Object, Object>> hold = polling -> stay();
    each(consumer -> consumer.runOnPollingThread(hold).subscribe().with(done -> {}, LOG::debug));
  }

  private void each(Consumer<KafkaConsumer<Object, Object>> what) {
    for (String channel : clients.getConsumerChannels()) {
      clients.<Object, Object>getConsumers(channel).forEach(what);
    }
  }

  private synchronized void stay() {
    try {
      while (yielding) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
