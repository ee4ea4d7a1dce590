package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class LogTailTest {
  private static final TopicPartition PARTITION = new TopicPartition("logs", 0);

  /** A job that has just begun writes its first piece while somebody comes to read it. */
  @Test
  void begin_whileTheFirstPieceIsWritten_isBeforeIt() {
    MockConsumer<byte[], byte[]> consumer =
        new MockConsumer<>("earliest") {
          @Override
          public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
              Map<TopicPartition, Long> times, Duration timeout) {
            addRecord(new ConsumerRecord<>("logs", 0, 5, null, new byte[] {1}));
            updateEndOffsets(Map.of(PARTITION, 6L));
            Map<TopicPartition, OffsetAndTimestamp> none = new HashMap<>();
            none.put(PARTITION, null);
            return none;
          }
        };
    consumer.assign(List.of(PARTITION));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, 5L));

    LogTail.begin(consumer, PARTITION, 1);

    assertThat(consumer.poll(Duration.ofMillis(100)).count()).isEqualTo(1);
  }
}
