package io.stoker.agent.kafka;

import io.stoker.common.life.LastResort;
import io.stoker.common.life.ProcessEnd;
import io.stoker.common.life.Vital;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.jboss.logging.Logger;

/**
 * Ends an agent that nobody hears, though a broker answers who asks it on a new connection: a
 * producer whose own thread has died takes all that it is given and sends nothing, for ever. The
 * next agent goes on from the journal.
 */
public final class MuteWatch implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(MuteWatch.class);
  private static final long LOOK_S = 10;
  private static final Duration NOTICED = Duration.ofSeconds(30);
  private static final Duration ANSWER = Duration.ofSeconds(5);

  private final Outlets outlets;
  private final LastResort lastResort;
  private final Supplier<KafkaConsumer<byte[], byte[]>> client;
  private final String topic;
  private final ScheduledExecutorService clock = Vital.clock("mute-watch", 1);

  /**
   * Begins to watch.
   *
   * @param client makes a consumer to ask by
   * @param topic of which a broker is asked
   * @param after how long it is waited for
   */
  public MuteWatch(
      Outlets outlets,
      Supplier<KafkaConsumer<byte[], byte[]>> client,
      String topic,
      Duration after) {
    this.outlets = outlets;
    this.client = client;
    this.topic = topic;
    lastResort = new LastResort(after);
    clock.scheduleWithFixedDelay(this::look, LOOK_S, LOOK_S, TimeUnit.SECONDS);
  }

  private void look() {
    lastResort
        .look(
            outlets.stuck(NOTICED),
            this::brokerAnswers,
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime()))
        .ifPresent(why -> ProcessEnd.because(why, null));
  }

  private boolean brokerAnswers() {
    try (KafkaConsumer<byte[], byte[]> asks = client.get()) {
      asks.partitionsFor(topic, ANSWER);
      return true;
    } catch (KafkaException e) {
      LOG.debugf("no broker answers: %s", e.getMessage());
      return false;
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
