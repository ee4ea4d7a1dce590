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
 * @param drain how it is to be emptied; null if it is not
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
    HostSettings settings,
    Drain drain) {

  /**
   * A host that is being emptied.
   *
   * @param deadline ms since 1970 after which what still runs is moved; null lets it end
   * @param dead whether nothing runs there any more, as people say; null if it does
   */
  public record Drain(Long deadline, Boolean dead) {
    public Drain(Long deadline) {
      this(deadline, null);
    }

    /** It has said hello since. */
    Drain alive() {
      return new Drain(deadline, null);
    }
  }

  /** Whether its agent holds an epoch. */
  public enum State {
    UP,
    /** Its lease ran out; the agent must say hello again. */
    LOST,
    /** It said goodbye. */
    GONE
  }

  /** How long its jobs run on while nothing is heard of it, ms; 0 for no longer than its lease. */
  public long outageMs() {
    return resources == null || resources.maxOutageMs() == null ? 0 : resources.maxOutageMs();
  }

  /** Whether people have said that nothing runs there any more, and nobody has acted on it. */
  public boolean declaredDead() {
    return state == State.UP && drain != null && Boolean.TRUE.equals(drain.dead());
  }

  /** The epochs of hosts by their ids. */
  public static Map<String, Long> epochs(List<HostRow> hosts) {
    return hosts.stream().collect(Collectors.toMap(HostRow::id, HostRow::epoch));
  }

  /** Its lease has run out. */
  public HostRow lost(String why) {
    return lost(epoch, why);
  }

  /** Its agent may believe to have its epoch still: nothing of that is believed any more. */
  public HostRow dead(String why) {
    return lost(epoch + 1, why);
  }

  private HostRow lost(long newest, String why) {
    return new HostRow(
        id,
        fleet,
        newest,
        nonce,
        journal,
        version,
        State.LOST,
        cordoned,
        why,
        resources,
        seenAt,
        settings,
        drain);
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
        settings,
        drain);
  }

  public HostRow with(HostResources now) {
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, cordoned, reason, now, seenAt, settings,
        drain);
  }

  /** Keeps placements off it, or lets them come again, which ends its draining. */
  public HostRow cordon(boolean keepOff, String why) {
    return drained(keepOff, why, keepOff ? drain : null);
  }

  /** Keeps placements off it, and empties it. */
  public HostRow drained(String why, Drain how) {
    return drained(true, why, how);
  }

  private HostRow drained(boolean keepOff, String why, Drain how) {
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, keepOff, why, resources, seenAt, settings,
        how);
  }

  /** Changes what people told it. */
  public HostRow told(UnaryOperator<HostSettings> change) {
    HostSettings now = change.apply(settings == null ? HostSettings.NONE : settings);
    return new HostRow(
        id, fleet, epoch, nonce, journal, version, state, cordoned, reason, resources, seenAt, now,
        drain);
  }
}
