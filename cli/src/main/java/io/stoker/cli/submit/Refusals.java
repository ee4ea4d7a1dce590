package io.stoker.cli.submit;

import io.stoker.cli.submit.BulkSubmitter.Written;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Finds which of our own requests the dispatcher put to the dead letters. One that reuses the id of
 * another request is answered there alone, for the id's status is that of the other one.
 */
public final class Refusals {
  private final String requestsTopic;
  private final Map<Written, String> ours;

  /**
   * @param ours the ids of our requests, by where the broker put them
   */
  public Refusals(String requestsTopic, Map<Written, String> ours) {
    this.requestsTopic = requestsTopic;
    this.ours = Map.copyOf(ours);
  }

  /** A refusal as a status; empty for another producer's record. */
  public Optional<RequestStatus> read(ConsumerRecord<byte[], byte[]> deadLetter) {
    if (!requestsTopic.equals(header(deadLetter, "stoker-topic"))) {
      return Optional.empty();
    }
    String index = header(deadLetter, "stoker-index");
    Written place =
        new Written(
            Integer.parseInt(header(deadLetter, "stoker-partition")),
            Long.parseLong(header(deadLetter, "stoker-offset")),
            index.isEmpty() ? 0 : Integer.parseInt(index));
    return Optional.ofNullable(ours.get(place))
        .map(id -> refused(id, header(deadLetter, "stoker-reason")));
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
  }

  private static RequestStatus refused(String id, String reason) {
    return RequestStatus.rejected(id, null, Code.INVALID_REQUEST, reason, null);
  }
}
