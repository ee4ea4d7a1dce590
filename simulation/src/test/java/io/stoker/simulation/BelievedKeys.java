package io.stoker.simulation;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.model.AttemptRow;
import java.util.Base64;
import java.util.List;

/** Plants {@link Defect#BELIEVE_HOST_KEYS}: what a host has signed is proven by what is stored. */
final class BelievedKeys {
  private final Tables tables;

  BelievedKeys(Tables tables) {
    this.tables = tables;
  }

  List<Received> proven(List<Received> records) {
    return records.stream()
        .map(
            one ->
                new Received(
                    one.topic(),
                    one.partition(),
                    one.offset(),
                    one.key(),
                    one.eventId(),
                    proven(one.value())))
        .toList();
  }

  private byte[] proven(byte[] record) {
    try {
      EventsRecord read = Json.read(record, EventsRecord.class);
      byte[] key = Macs.hostKey(Settings.HOST_SECRET, read.host());
      if (!Macs.sealed(key, record)) {
        return record;
      }
      List<AttemptEvent> events = read.events().stream().map(this::proven).toList();
      return Macs.seal(key, Json.bytes(new EventsRecord(read.host(), read.epoch(), events)));
    } catch (MalformedJson e) {
      return record;
    }
  }

  private AttemptEvent proven(AttemptEvent event) {
    AttemptRow row = tables.attempts.get(new AttemptRow.Key(event.job(), event.attempt(), 0));
    return row == null ? event : event.proven(Base64.getDecoder().decode(row.token()));
  }
}
