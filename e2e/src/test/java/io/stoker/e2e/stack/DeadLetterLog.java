package io.stoker.e2e.stack;

import io.stoker.kafka.KafkaAccess;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** The dead letters as an operator reads them. */
public final class DeadLetterLog implements AutoCloseable {
  private final TopicLog<Letter> log;

  /** What could not be used, where it came from, and why. */
  public record Letter(String key, byte[] value, String topic, String offset, String reason) {
    public String text() {
      return new String(value, StandardCharsets.UTF_8);
    }
  }

  DeadLetterLog(KafkaAccess access, String topic) {
    log = new TopicLog<>(access, topic, DeadLetterLog::read);
  }

  private static Letter read(ConsumerRecord<String, byte[]> record) {
    return new Letter(
        record.key(),
        record.value(),
        header(record, "stoker-topic"),
        header(record, "stoker-offset"),
        header(record, "stoker-reason"));
  }

  private static String header(ConsumerRecord<String, byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
  }

  /** The first letter that fits. */
  public Letter await(Predicate<Letter> fits, String what) {
    return log.await(
        StatusLog.PATIENCE,
        letters -> letters.stream().filter(fits).findFirst().orElse(null),
        () -> "no dead letter " + what + " among " + reasons());
  }

  public List<Letter> all() {
    return log.all();
  }

  private List<String> reasons() {
    return log.all().stream().map(letter -> letter.key() + ": " + letter.reason()).toList();
  }

  @Override
  public void close() {
    log.close();
  }
}
