package io.stoker.dispatcher.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * The events of a record, as far as they can be read: what is wrong with one keeps back none of the
 * others'.
 *
 * @param reports those that can be read
 * @param flaw the first thing that is wrong
 */
public record ReportedEvents(List<AttemptReport> reports, Optional<String> flaw) {
  /**
   * Reads a record.
   *
   * @param sealed tells of a host and a record's bytes whether that is signed as a whole with the
   *     host's key
   */
  public static ReportedEvents read(byte[] record, BiPredicate<String, byte[]> sealed) {
    try {
      JsonNode tree = Json.readMessage(record);
      String host = tree.path("host").asText("");
      JsonNode events = tree.path("events");
      if (tree.path("v").asInt(0) != EventsRecord.VERSION || host.isEmpty() || !events.isArray()) {
        return none("no events record of version " + EventsRecord.VERSION);
      }
      boolean whole = tree.has("mac");
      if (whole && !sealed.test(host, record)) {
        return none("the record's mac is not of the key of host " + host);
      }
      List<AttemptReport> reports = new ArrayList<>();
      Optional<String> wrong = Optional.empty();
      for (JsonNode event : events) {
        Optional<String> flaw = read(host, event, whole, reports);
        wrong = wrong.or(() -> flaw);
      }
      return new ReportedEvents(reports, wrong);
    } catch (MalformedJson e) {
      return none("no events record: " + e.getMessage());
    }
  }

  private static ReportedEvents none(String flaw) {
    return new ReportedEvents(List.of(), Optional.of(flaw));
  }

  private static Optional<String> read(
      String host, JsonNode event, boolean sealed, List<AttemptReport> reports) {
    try {
      AttemptReport report =
          new AttemptReport(host, Json.read(event, AttemptEvent.class), event, sealed);
      Optional<String> flaw = report.flaw();
      if (flaw.isEmpty()) {
        reports.add(report);
      }
      return flaw;
    } catch (MalformedJson e) {
      return Optional.of("no event: " + e.getMessage());
    }
  }
}
