package io.stoker.dispatcher.service.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DeadLetterReaderTest {
  private static final TopicPartition PARTITION = new TopicPartition("dead-letters", 0);
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private final MockConsumer<byte[], byte[]> consumer = consumer();

  private static MockConsumer<byte[], byte[]> consumer() {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    consumer.assign(List.of(PARTITION));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.seek(PARTITION, 0);
    return consumer;
  }

  @Test
  void read_upToTheEnd_isAllThatIsThere() {
    consumer.addRecord(new ConsumerRecord<>("dead-letters", 0, 0, null, new byte[] {1}));

    assertThat(DeadLetterReader.read(consumer, Map.of(PARTITION, 1L), PATIENCE)).hasSize(1);
  }

  /** Each who asked would keep a thread and a connection. */
  @Test
  @Timeout(30)
  void read_whereNothingComes_isGivenUp() {
    assertThatThrownBy(() -> DeadLetterReader.read(consumer, Map.of(PARTITION, 1L), PATIENCE))
        .isInstanceOf(TimeoutException.class);
  }
}
