package io.stoker.dispatcher.lease;

import io.stoker.common.message.HostMessage.HostResources;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A host as the database knows it. That it lives is not here but in the heartbeats.
 *
 * @param epoch granted to the agent's last start; only rises
 * @param nonce of the hello that it was granted to
 * @param journal id of the agent's journal
 * @param cordoned whether new placements are kept off it
 * @param reason why it is cordoned or lost
 * @param seenAt when it last said hello, ms since 1970
 * @param settings what people told it; null if they never did
 */
public record HostRow(
    String id,
    String fleet,
    long epoch,
    String nonce,
    String journal,
    String version,
    State state,
    boolean cordoned,
    String reason,
    HostResources resources,
    long seenAt,
    HostSettings settings) {

  /** Whether its agent holds an epoch. */
  public enum State {
    UP,
    /** Its lease ran out; the agent must say hello again. */
    LOST,
    /** It said goodbye. */
    GONE
  }

  /** The epochs of hosts by their ids. */
  public static Map<String, Long> epochs(List<HostRow> hosts) {
    return hosts.stream().collect(Collectors.toMap(HostRow::id, HostRow::epoch));
  }

  public HostRow lost(String why) {
    return new HostRow(
        id,
        fleet,
        epoch,
        nonce,
        journal,
        version,
        State.LOST,
        cordoned,
        why,
        resources,
        seenAt,
        settings);
  }

  public HostRow gone() {
    return new HostRow(
        id,
        fleet,
        epoch,
        nonce,
        journal,
        version,
        State.GONE,
        cordoned,
        reason,
        resources,
        seenAt,
        settings);
  }

  public HostRow with(HostResources now) {
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, cordoned, reason, now, seenAt, settings);
  }

  public HostRow cordon(boolean keepOff, String why) {
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, keepOff, why, resources, seenAt,
        settings);
  }

  /** Changes what people told it. */
  public HostRow told(UnaryOperator<HostSettings> change) {
    HostSettings now = change.apply(settings == null ? HostSettings.NONE : settings);
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, cordoned, reason, resources, seenAt, now);
  }
}
