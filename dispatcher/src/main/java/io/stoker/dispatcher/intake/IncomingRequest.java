package io.stoker.dispatcher.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
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

  static IncomingRequest read(ConsumerRecord<byte[], byte[]> record) {
    try {
      return new Valid(record, RequestParser.parse(record.value(), eventId(record)));
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
