package io.stoker.e2e.stack;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.kafka.KafkaAccess;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What agents have told of attempts. */
public final class EventLog implements AutoCloseable {
  private final TopicLog<EventsRecord> log;

  EventLog(KafkaAccess access, String topic) {
    log = new TopicLog<>(access, topic, EventLog::read);
  }

  private static EventsRecord read(ConsumerRecord<String, byte[]> record) {
    try {
      return Json.read(record.value(), EventsRecord.class);
    } catch (MalformedJson e) {
      throw new AssertionError("no events on the events topic: " + record, e);
    }
  }

  /** How an attempt was told to have ended, each time that it was. */
  public List<String> ends(String job, int attempt) {
    return log.all().stream()
        .flatMap(record -> record.events().stream())
        .filter(event -> event.job().equals(job) && event.attempt() == attempt)
        .filter(event -> event.type() == AttemptEvent.Type.ENDED)
        .map(event -> event.outcome() + " " + event.category())
        .toList();
  }

  /** What agents said when they gave a job's attempts back, in order. */
  public List<AttemptEvent> returned(String job) {
    return log.all().stream()
        .flatMap(record -> record.events().stream())
        .filter(event -> event.job().equals(job))
        .filter(event -> event.outcome() == AttemptEvent.Outcome.RETURNED)
        .toList();
  }

  @Override
  public void close() {
    log.close();
  }
}
