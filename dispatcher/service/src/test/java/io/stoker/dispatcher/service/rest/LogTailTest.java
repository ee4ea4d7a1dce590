package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  private static byte[] chunk(int attempt, String rank, int n) {
    return """
    {"job":"j","attempt":%d,%s"stream":"stdout","n":%d,"at":1,"text":"said\\n","last":false,"truncated":false}
    """
        .formatted(attempt, rank == null ? "" : "\"rank\":" + rank + ",", n)
        .getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({"1,,0", "3,2,17"})
  void aChunkIsTaken(int attempt, String rank, int n) {
    assertThat(LogTail.piece(chunk(attempt, rank, n)).orElseThrow().chunk().text())
        .isEqualTo("said\n");
  }

  /** It would be shown as what the dispatcher says. */
  @Test
  void nobodyOnTheTopicSpeaksForTheDispatcher() {
    assertThat(LogTail.piece(chunk(1, null, -1))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1,,-2", "0,,0", "-1,,0", "1,-1,0"})
  void whatNoHostNumbersSoIsNoChunk(int attempt, String rank, int n) {
    assertThat(LogTail.piece(chunk(attempt, rank, n))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "{", "text"})
  void whatIsNoObjectIsNoChunk(String record) {
    assertThat(LogTail.piece(record.getBytes(StandardCharsets.UTF_8))).isEmpty();
    assertThat(LogTail.piece(null)).isEmpty();
  }
}
