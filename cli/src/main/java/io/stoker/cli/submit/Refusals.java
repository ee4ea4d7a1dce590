package io.stoker.cli.submit;

import io.stoker.cli.submit.BulkSubmitter.Written;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Which of our own records the dispatcher put to the dead letters. A record that reuses the id of
 * another request is answered there alone, for the id's status is that of the other one.
 */
public final class Refusals {
  private final String requestsTopic;
  private final Set<Written> ours;

  public Refusals(String requestsTopic, Set<Written> ours) {
    this.requestsTopic = requestsTopic;
    this.ours = Set.copyOf(ours);
  }

  /** A refusal as a status; empty for another producer's record. */
  public Optional<RequestStatus> read(ConsumerRecord<byte[], byte[]> deadLetter) {
    boolean isOurs =
        requestsTopic.equals(header(deadLetter, "stoker-topic"))
            && ours.contains(
                new Written(
                    Integer.parseInt(header(deadLetter, "stoker-partition")),
                    Long.parseLong(header(deadLetter, "stoker-offset"))));
    return isOurs
        ? Optional.of(
            refused(
                new String(deadLetter.key(), StandardCharsets.UTF_8),
                header(deadLetter, "stoker-reason")))
        : Optional.empty();
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
  }

  private static RequestStatus refused(String id, String reason) {
    return new RequestStatus(
        id,
        RequestState.REJECTED,
        0,
        null,
        null,
        null,
        null,
        null,
        Code.INVALID_REQUEST,
        reason,
        null,
        null,
        null,
        null,
        null,
        null,
        false,
        false,
        false,
        null,
        null,
        null);
  }
}
