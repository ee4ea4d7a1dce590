package io.stoker.dispatcher.service.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.intake.QueueDoor;
import io.stoker.dispatcher.kinds.Kinds;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** A record of the requests topic, read: a request, or why it is none. */
sealed interface IncomingRequest {
  ConsumerRecord<byte[], byte[]> record();

  record Valid(ConsumerRecord<byte[], byte[]> record, JobRequest request)
      implements IncomingRequest {}

  /**
   * A request whose kind is to be filled in first.
   *
   * @param ownTopic whether it came by its queue's own topic
   */
  record OfKind(ConsumerRecord<byte[], byte[]> record, JobRequest request, boolean ownTopic)
      implements IncomingRequest {

    IncomingRequest filled(Kinds kinds, QueueDoor door) {
      try {
        return checked(record, kinds.fill(request), ownTopic, door);
      } catch (RequestRefused e) {
        return new Refused(record, e, Optional.of(request));
      }
    }
  }

  /**
   * No request, or none that the configuration allows.
   *
   * @param read the request, if it is one: it may have been accepted before
   * @param code of its status
   */
  record Refused(
      ConsumerRecord<byte[], byte[]> record,
      RequestRefused why,
      Optional<JobRequest> read,
      Code code)
      implements IncomingRequest {

    Refused(ConsumerRecord<byte[], byte[]> record, RequestRefused why, Optional<JobRequest> read) {
      this(record, why, read, Code.INVALID_REQUEST);
    }
  }

  static IncomingRequest read(
      ConsumerRecord<byte[], byte[]> record, Topics topics, QueueDoor door) {
    try {
      Optional<String> queue = topics.queueOf(record.topic());
      JobRequest request = RequestParser.parse(record.value(), eventId(record), queue);
      return request.needsKind()
          ? new OfKind(record, request, queue.isPresent())
          : checked(record, request, queue.isPresent(), door);
    } catch (RequestRefused e) {
      return new Refused(record, e, Optional.empty());
    }
  }

  private static IncomingRequest checked(
      ConsumerRecord<byte[], byte[]> record, JobRequest request, boolean ownTopic, QueueDoor door) {
    String inForce = request.resolved().orElse(request.spec());
    int bytes =
        inForce.length() <= Limits.REQUEST / 3
            ? 0
            : inForce.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Limits.REQUEST) {
      String size = "%d bytes with all that its kind brings".formatted(bytes);
      RequestRefused why =
          new RequestRefused(request.id(), "request", size, "at most %d".formatted(Limits.REQUEST));
      return new Refused(record, why, Optional.of(request), Code.TOO_LARGE);
    }
    return door.refusal(request, ownTopic)
        .<IncomingRequest>map(why -> new Refused(record, why, Optional.of(request)))
        .orElseGet(() -> new Valid(record, request));
  }

  private static Optional<String> eventId(ConsumerRecord<byte[], byte[]> record) {
    Header header = record.headers().lastHeader("ce_id");
    return header == null || header.value() == null
        ? Optional.empty()
        : Optional.of(new String(header.value(), StandardCharsets.UTF_8));
  }
}
