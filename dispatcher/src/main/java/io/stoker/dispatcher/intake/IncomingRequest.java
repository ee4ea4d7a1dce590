package io.stoker.dispatcher.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** A record of the requests topic, read: a request, or why it is none. */
sealed interface IncomingRequest {
  ConsumerRecord<byte[], byte[]> record();

  record Valid(ConsumerRecord<byte[], byte[]> record, JobRequest request)
      implements IncomingRequest {}

  record Refused(ConsumerRecord<byte[], byte[]> record, RequestRefused why)
      implements IncomingRequest {}

  static IncomingRequest read(
      ConsumerRecord<byte[], byte[]> record, Topics topics, QueueDoor door) {
    try {
      Optional<String> queue = topics.queueOf(record.topic());
      JobRequest request = RequestParser.parse(record.value(), eventId(record), queue);
      return door.refusal(request, queue.isPresent())
          .<IncomingRequest>map(why -> new Refused(record, why))
          .orElseGet(() -> new Valid(record, request));
    } catch (RequestRefused e) {
      return new Refused(record, e);
    }
  }

  private static Optional<String> eventId(ConsumerRecord<byte[], byte[]> record) {
    Header header = record.headers().lastHeader("ce_id");
    return header == null || header.value() == null
        ? Optional.empty()
        : Optional.of(new String(header.value(), StandardCharsets.UTF_8));
  }
}
