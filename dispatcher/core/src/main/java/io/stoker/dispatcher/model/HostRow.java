package io.stoker.dispatcher.model;

import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.state.Successive;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A host as the database knows it. That it lives is not here but in the heartbeats.
 *
 * @param settings what people told it; null if they never did
 * @param holder who holds the epoch, what earlier agents have left behind, and who else asks for
 *     the host's name
 * @param restored what is asked of it since the database was restored; null if nothing is
 * @param key how it proves who it is
 */
public record HostRow(
    String id,
    String fleet,
    HostGrant grant,
    HostResources resources,
    HostSettings settings,
    HostDuty duty,
    Holder holder,
    Restored restored,
    HostKey key) {
  public HostRow {
    holder = holder == null ? Holder.NONE : holder;
    key = key == null ? HostKey.NONE : key;
  }

  /**
   * A host that is being emptied.
   *
   * @param deadline ms since 1970 after which what still runs is moved; null lets it end
   * @param dead whether nothing runs there any more, as people say; null if it does
   */
  public record Drain(Long deadline, Boolean dead) {
    /** It has said hello since. */
    public Drain alive() {
      return new Drain(deadline, null);
    }
  }

  /** Whether its agent holds its epoch. */
  public enum State implements Successive<State> {
    UP,
    /** Its lease ran out; the agent must say hello again. */
    LOST,
    /** It said goodbye. */
    GONE;

    /**
     * A goodbye does not end what runs, so the lease may run out after it; an agent whose lease ran
     * out has nothing to say goodbye to.
     */
    @Override
    public boolean leadsTo(State next) {
      return this != LOST || next != GONE;
    }
  }

  public long epoch() {
    return grant.epoch();
  }

  public State state() {
    return grant.state();
  }

  public boolean cordoned() {
    return duty.cordoned();
  }

  public String reason() {
    return duty.reason();
  }

  public Drain drain() {
    return duty.drain();
  }

  /** How long its jobs run on while nothing is heard of it, ms; 0 for no longer than its lease. */
  public long outageMs() {
    if (restored != null && epoch() <= restored.floor()) {
      return restored.silenceMs();
    }
    return resources == null ? 0 : resources.outageMs();
  }

  /** Whether people have said that nothing runs there any more, and nobody has acted on it. */
  public boolean declaredDead() {
    boolean something = state() != State.LOST || !holder.left().isEmpty() || unsettled();
    return something && saidDead();
  }

  /** Whether that was acted on: until its agent says hello, it is no host that can ever serve. */
  public boolean buried() {
    return saidDead() && !declaredDead();
  }

  private boolean saidDead() {
    return drain() != null && Boolean.TRUE.equals(drain().dead());
  }

  /** The epochs of hosts by their ids. */
  public static Map<String, Long> epochs(List<HostRow> hosts) {
    return hosts.stream().collect(Collectors.toMap(HostRow::id, HostRow::epoch));
  }

  /** Its lease has run out, as those of many others have. */
  public HostRow lost(String why) {
    return with(grant.lost(), duty.lost(why));
  }

  /** Its lease has run out, at that time; of one that is lost it was noted when it had. */
  public HostRow lost(String why, long now) {
    return state() == State.LOST ? lost(why) : with(grant.lost(), duty.lost(why, now));
  }

  /** Nothing runs there any more, as people say: should its agent come back, it begins anew. */
  public HostRow dead(String why) {
    HostRow lost = with(grant.revoked(), duty.lost(why));
    return lost.with(holder.dead()).with(key.released()).settled();
  }

  /** Its agent says goodbye, in that epoch. */
  public HostRow gone(long in) {
    return with(grant.gone(in), duty);
  }

  /** Whether an attempt on it was left behind by an earlier agent. */
  public boolean left(AttemptRow attempt) {
    return attempt.host().equals(id) && holder.left(attempt);
  }

  /** Whether it may run what a restored database does not know. */
  public boolean unsettled() {
    return restored != null;
  }

  /** Why it is given nothing by the scheduler of a fleet, if it belongs to another one. */
  public Optional<String> notOf(String scheduled) {
    return Optional.of(fleet)
        .filter(own -> !own.equals(scheduled))
        .map(own -> "its agent says fleet %s, and this is fleet %s".formatted(own, scheduled));
  }

  /**
   * Keeps placements off it, or lets them come again, which ends its draining and all that is held
   * against it.
   */
  public HostRow cordon(boolean keepOff, String why) {
    return with(grant, duty.cordon(keepOff, why));
  }

  /** Keeps placements off it, and empties it. */
  public HostRow drained(String why, Drain how) {
    return with(grant, duty.drained(why, how));
  }

  /** Changes what people told it. */
  public HostRow told(UnaryOperator<HostSettings> change) {
    HostSettings now = change.apply(settings == null ? HostSettings.NONE : settings);
    return new HostRow(id, fleet, grant, resources, now, duty, holder, restored, key);
  }

  /** Nothing is asked of it any more for the restore's sake. */
  public HostRow settled() {
    return new HostRow(id, fleet, grant, resources, settings, duty, holder, null, key);
  }

  private HostRow with(HostGrant held, HostDuty done) {
    return new HostRow(id, fleet, held, resources, settings, done, holder, restored, key);
  }

  public HostRow with(HostResources now) {
    return new HostRow(id, fleet, grant, now, settings, duty, holder, restored, key);
  }

  public HostRow with(Holder now) {
    return new HostRow(id, fleet, grant, resources, settings, duty, now, restored, key);
  }

  public HostRow with(HostKey now) {
    return new HostRow(id, fleet, grant, resources, settings, duty, holder, restored, now);
  }
}
