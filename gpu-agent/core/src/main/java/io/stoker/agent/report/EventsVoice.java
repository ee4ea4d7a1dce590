package io.stoker.agent.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.key.AgentKey;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.security.Macs;
import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Signs what a host says of attempts: a record as a whole with the host's key, where it has one and
 * the dispatchers take that, with a proof of the token of each event's attempt; else each event
 * with its attempt's token.
 */
public final class EventsVoice {
  /** Characters behind the events of a record. */
  private static final int END = "]}".length();

  private final String host;
  private final AgentKey key;

  public EventsVoice(String host, AgentKey key) {
    this.host = host;
    this.key = key;
  }

  /**
   * A record as it is sent; empty if none of its events can be.
   *
   * @param epoch in which it is reported
   * @param sealed whether the dispatchers take records that are signed as a whole
   */
  Optional<byte[]> record(long epoch, boolean sealed, List<Unsent> events) {
    return key.signing()
        .filter(own -> sealed)
        .map(own -> sealed(epoch, events, own))
        .orElseGet(() -> signed(epoch, events));
  }

  /** Each event is written by itself: one that cannot be keeps back none of the others. */
  private Optional<byte[]> sealed(long epoch, List<Unsent> events, byte[] own) {
    List<byte[]> proven = each(events, EventsVoice::proven).toList();
    if (proven.isEmpty()) {
      return Optional.empty();
    }
    byte[] empty = Json.bytes(new EventsRecord(host, epoch, List.of()));
    ByteArrayOutputStream record =
        new ByteArrayOutputStream(
            empty.length + proven.stream().mapToInt(one -> one.length + 1).sum());
    record.write(empty, 0, empty.length - END);
    for (int i = 0; i < proven.size(); i++) {
      if (i > 0) {
        record.write(',');
      }
      record.writeBytes(proven.get(i));
    }
    record.write(empty, empty.length - END, END);
    return Optional.of(Macs.seal(own, record.toByteArray()));
  }

  private static byte[] proven(Unsent unsent) {
    AttemptEvent event = unsent.event();
    Stream.of(event.result(), event.progress())
        .filter(Objects::nonNull)
        .forEach(CanonicalJson::text); // what has no such form is not sent
    return Json.bytes(event.proven(token(unsent)));
  }

  private Optional<byte[]> signed(long epoch, List<Unsent> events) {
    List<ObjectNode> signed = each(events, one -> Macs.signed(token(one), one.event())).toList();
    if (signed.isEmpty()) {
      return Optional.empty();
    }
    ObjectNode record = JsonNodeFactory.instance.objectNode();
    record.put("v", EventsRecord.VERSION).put("host", host).put("epoch", epoch);
    record.putArray("events").addAll(signed);
    return Optional.of(Json.bytes(record));
  }

  private static byte[] token(Unsent event) {
    return Base64.getDecoder().decode(event.token());
  }

  private static <T> Stream<T> each(List<Unsent> events, Function<Unsent, T> sign) {
    return events.stream().flatMap(one -> one.signed(() -> sign.apply(one)).stream());
  }
}
