package io.stoker.dispatcher.host;

import io.stoker.common.json.Json;
import io.stoker.common.message.Parts;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.size.SendLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts messages to an agent into records: several into one, but never so many that it grows large,
 * and one that no record takes into several, in {@linkplain ToAgent.Part parts}.
 */
public record AgentRecords(SendLimits limits) {
  /** What is around the piece of a message in its part's record. */
  private static final int AROUND = 512;

  /** A record, and its JSON. */
  public record Written(PlacementsRecord record, byte[] json) {
    static Written of(String host, long epoch, List<ToAgent> messages) {
      PlacementsRecord record = new PlacementsRecord(host, epoch, messages);
      return new Written(record, Json.bytes(record));
    }
  }

  /** The records that say all of it, in order. */
  public List<Written> of(String host, long epoch, List<ToAgent> messages) {
    Written whole = Written.of(host, epoch, messages);
    if (whole.json().length <= limits.together()) {
      return List.of(whole);
    }
    if (messages.size() > 1) {
      int middle = messages.size() / 2;
      List<Written> halves = new ArrayList<>(of(host, epoch, messages.subList(0, middle)));
      halves.addAll(of(host, epoch, messages.subList(middle, messages.size())));
      return halves;
    }
    if (whole.json().length <= limits.record()) {
      return List.of(whole);
    }
    // In base64 three bytes take four.
    return Parts.cut(messages.getFirst(), (limits.together() - AROUND) / 4 * 3).stream()
        .map(part -> Written.of(host, epoch, List.of(part)))
        .toList();
  }
}
