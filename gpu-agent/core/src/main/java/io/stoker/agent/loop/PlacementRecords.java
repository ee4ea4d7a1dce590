package io.stoker.agent.loop;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.loop.RecordSignatures.Verdict;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.Parts;
import io.stoker.common.message.PlacementsRecord;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Makes inputs of the records of a host's placements topic, in their order: of each one, whatever
 * it holds. Parts of a message that was too large for one record are put together. Not for two
 * threads at once.
 */
public final class PlacementRecords {
  private static final System.Logger LOG = System.getLogger(PlacementRecords.class.getName());

  private final String host;
  private final UnaryOperator<PlacementsRecord> meetings;
  private final RecordSignatures signatures;
  private Parts parts = new Parts();

  /**
   * @param signatures which records are believed
   * @param meetings puts an address into each placement of a gang's rank 0
   */
  public PlacementRecords(
      String host, RecordSignatures signatures, UnaryOperator<PlacementsRecord> meetings) {
    this.host = host;
    this.signatures = signatures;
    this.meetings = meetings;
  }

  /** What a record says, or why it cannot be understood. */
  public Input read(ReceivedRecord raw) {
    if (raw.value() == null) {
      return new Input.Unreadable(raw, "no value: expected a placements record");
    }
    try {
      PlacementsRecord whole = Json.read(raw.value(), PlacementsRecord.class);
      Verdict verdict = signatures.of(raw.value(), whole.mac() != null);
      if (verdict == Verdict.UNSIGNED || verdict == Verdict.WRONG) {
        return new Input.Unreadable(raw, reason(verdict));
      }
      boolean signed = verdict == Verdict.GENUINE;
      if (signed && signatures.seen()) {
        parts = new Parts(); // anybody may have told those so far
      }
      PlacementsRecord read = whole.known();
      if (read != whole) {
        LOG.log(
            Level.WARNING,
            "a dispatcher of a later version says what this agent does not understand");
      }
      Optional<String> problem = PlacementsRecordCheck.problem(read, host);
      if (problem.isPresent()) {
        return new Input.Unreadable(raw, problem.get());
      }
      PlacementsRecord together = parts.whole(read);
      return PlacementsRecordCheck.problem(together.messages())
          .<Input>map(why -> new Input.Unreadable(raw, why))
          .orElseGet(() -> new Input.Received(meetings.apply(together), raw, signed));
    } catch (MalformedJson e) {
      return new Input.Unreadable(raw, "not a placements record: " + e.getMessage());
    }
  }

  private static String reason(Verdict verdict) {
    return verdict == Verdict.WRONG
        ? "its signature is not by the key of this host"
        : "not signed, and dispatchers of this host sign; if they do not any more, see"
            + " stoker.agent.signed-placements";
  }
}
