package io.stoker.cli.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.submit.BulkSubmitter.Written;
import io.stoker.common.state.RequestState;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private final Refusals refusals =
      new Refusals(
          "stoker.requests", Map.of(new Written(2, 17, 0), "a", new Written(2, 17, 1), "b"));

  @Test
  void oneOfOursIsAStatusWithItsReason() {
    assertThat(refusals.read(deadLetter("stoker.requests", "2", "17")))
        .hasValueSatisfying(
            status -> {
              assertThat(status.id()).isEqualTo("a");
              assertThat(status.state()).isEqualTo(RequestState.REJECTED);
              assertThat(status.reason()).isEqualTo("because");
            });
  }

  @Test
  void oneOfSeveralInARecordIsToldByItsIndex() {
    ConsumerRecord<byte[], byte[]> second = deadLetter("stoker.requests", "2", "17");
    second.headers().add("stoker-index", utf8("1"));

    assertThat(refusals.read(second))
        .hasValueSatisfying(status -> assertThat(status.id()).isEqualTo("b"));
  }

  @Test
  void thoseOfOthersAreNot() {
    assertThat(refusals.read(deadLetter("stoker.requests", "2", "18"))).isEmpty();
    assertThat(refusals.read(deadLetter("stoker.requests", "1", "17"))).isEmpty();
    assertThat(refusals.read(deadLetter("stoker.control", "2", "17"))).isEmpty();
    assertThat(refusals.read(new ConsumerRecord<>("dead", 0, 0, null, new byte[0]))).isEmpty();
  }

  private static ConsumerRecord<byte[], byte[]> deadLetter(
      String topic, String partition, String offset) {
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>("dead", 0, 0, utf8("first of its file"), new byte[0]);
    record.headers().add("stoker-reason", utf8("because"));
    record.headers().add("stoker-topic", utf8(topic));
    record.headers().add("stoker-partition", utf8(partition));
    record.headers().add("stoker-offset", utf8(offset));
    return record;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
