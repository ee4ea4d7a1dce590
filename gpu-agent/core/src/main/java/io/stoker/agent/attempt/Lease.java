package io.stoker.agent.attempt;

import io.stoker.common.message.ToAgent.Challenge;
import io.stoker.common.message.ToAgent.Clock;
import io.stoker.common.message.ToAgent.Refused;
import io.stoker.common.message.ToAgent.Welcome;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The agent's right to its attempts, and its estimate of the dispatcher's clock. All times are
 * CLOCK_BOOTTIME in ms unless said otherwise.
 *
 * <p>The deadline moves with acknowledged heartbeats alone, to sending + lease, or to sending + the
 * longest outage where that is longer: what the dispatcher counts from is never earlier. Until the
 * first of an epoch is acknowledged, nothing starts.
 */
public final class Lease {
  /** Shortest time between hellos that are not answered, ms. */
  private static final long HELLO_SOONEST = 500;

  /** The time between two hellos is the time without an answer by this. */
  private static final long HELLO_SLOWING = 4;

  /**
   * A hello unanswered for so long is given up for a new one, ms: an old answer tells no time. The
   * next has twice as long, since answers may be as late as that for a while.
   */
  private static final long HELLO_PATIENCE = 10_000;

  /** As long at the most, ms. */
  private static final long MOST_HELLO_PATIENCE = 40_000;

  /**
   * A dispatcher's clock that is brought to the wall clock is slower by one part in so many. See
   * docs/adr/0025-what-is-due-goes-by-a-steady-clock.md.
   */
  private static final long SLOWNESS = 20;

  /** A promise that is ahead by more would have too many placements refused as late, ms. */
  private static final long AHEAD = 5_000;

  /**
   * An answer that took longer says little of the dispatcher's clock, ms: the estimate may be ahead
   * by as much, and placements that are accepted within seconds would be refused as late.
   */
  private static final long LOOSE = 1_000;

  /** Shortest time between two inventories that ask for the clock, ms. */
  private static final long ASKED_SOONEST = 1_000;

  /** So many inventories wait for an answer at most: older ones are given up. */
  private static final int MOST_UNANSWERED = 16;

  /** What a dispatcher may ask for at the most, ms: sums of it and any clock stay what they are. */
  private static final long MOST_TOLD = 50_000L * 24 * 3_600_000;

  /** What is said again and again is said no more often, whatever a dispatcher asks for, ms. */
  private static final long SAID_SOONEST = 10;

  private final String start;
  private final long maxOutage;
  private int drops;
  private OptionalLong firstHello = OptionalLong.empty();
  private long patience = HELLO_PATIENCE;

  /** Since when hellos get no answer of any kind. */
  private OptionalLong unheardSince = OptionalLong.empty();

  private long nextHello;
  private Optional<String> answer = Optional.empty();
  private Optional<String> refusal = Optional.empty();
  private OptionalLong epoch = OptionalLong.empty();
  private long epochSince;
  private long leaseMs;
  private long heartbeatMs;
  private long inventoryMs;
  private long deadline;
  private long nextHeartbeat;
  private long heartbeats;
  private long nextInventory;
  private long inventories;
  private long inventorySent;

  /** When inventories were sent that have no answer yet, by number. */
  private final NavigableMap<Long, Long> unanswered = new TreeMap<>();

  private long clockOffset;
  private long leastClock;
  private long leastClockSince;

  /** What the newest heartbeat of this epoch says of the dispatcher's clock, ms since 1970. */
  private long promised;

  private boolean sealedEvents;

  /**
   * @param start random, of this start of the agent
   * @param deadline of the agent that ran here before on this boot, 0 if there was none
   * @param maxOutage how long jobs run on at the least while no heartbeat is acknowledged; 0 for no
   *     longer than the lease that the dispatcher grants
   */
  public Lease(String start, long deadline, long maxOutage) {
    this.start = start;
    this.deadline = deadline;
    this.maxOutage = maxOutage;
  }

  /** Of a host whose jobs end with its lease. */
  public Lease(String start, long deadline) {
    this(start, deadline, 0);
  }

  /** From a heartbeat that is acknowledged until the host's rights end. */
  private long held() {
    return Math.max(leaseMs, maxOutage);
  }

  /**
   * How long jobs may run on unheard, ms: what is configured, or what an earlier agent of another
   * configuration has left; empty if that is no longer than a lease. The dispatcher must know it
   * before anything runs by it.
   */
  public OptionalLong outage(long now) {
    long longest = Math.max(maxOutage, deadline - now);
    return longest > leaseMs ? OptionalLong.of(longest) : OptionalLong.empty();
  }

  /**
   * Names the hello that is to be answered: one a start, and a new one for each dropped epoch or
   * hello given up.
   */
  public String nonce() {
    return drops == 0 ? start : start + "-" + drops;
  }

  public OptionalLong epoch() {
    return epoch;
  }

  /** Whether the dispatchers of now take records of events that are signed as a whole. */
  public boolean sealedEvents() {
    return sealedEvents;
  }

  public boolean isEpoch(long candidate) {
    return epoch.isPresent() && epoch.getAsLong() == candidate;
  }

  /** When processes must be gone. */
  public long deadline() {
    return deadline;
  }

  /** Whether attempts may start. */
  public boolean mayStart(long now) {
    return epoch.isPresent() && now < deadline;
  }

  /** Whether the dispatcher may have given the attempts that run here to another host. */
  public boolean processesLapsed(long now) {
    return now >= deadline;
  }

  /** Whether the epoch must be dropped. A new one gets a whole lease for its first heartbeat. */
  public boolean epochLapsed(long now) {
    return epoch.isPresent() && now >= Math.max(deadline, epochSince + held());
  }

  /** Gives the epoch up; a new hello is due at once. */
  public void drop(long now) {
    epoch = OptionalLong.empty();
    giveUpHello();
    nextHello = now;
  }

  private void giveUpHello() {
    drops++;
    firstHello = OptionalLong.empty();
    answer = Optional.empty();
  }

  /** What the dispatcher wants to hear with the next hello, if it has asked. */
  public Optional<String> answer() {
    return answer;
  }

  /** Why the last hello was refused; empty once one is welcomed. */
  public Optional<String> refusal() {
    return refusal;
  }

  /** Takes what the next hello is to answer; it is due at once, unless that was said already. */
  public void challenged(Challenge asked, long now) {
    if (isAnswered(asked.nonce()) && !answer.equals(Optional.of(asked.challenge()))) {
      answer = Optional.of(asked.challenge());
      unheardSince = OptionalLong.empty();
      nextHello = now;
    }
  }

  /**
   * Takes that the host's name is another agent's for now: the next hello waits as it was told.
   *
   * @return whether this hello is meant
   */
  public boolean refused(Refused told, long now) {
    if (!isAnswered(told.nonce())) {
      return false;
    }
    refusal = Optional.of(told.reason());
    unheardSince = OptionalLong.empty();
    giveUpHello();
    nextHello = now + Math.clamp(told.retryMs(), SAID_SOONEST, MOST_TOLD);
    return true;
  }

  /** Whether an answer to this nonce is one to the hello that waits for it. */
  private boolean isAnswered(String nonce) {
    return epoch.isEmpty() && firstHello.isPresent() && nonce().equals(nonce);
  }

  /** For how long hellos have had no answer of any kind, ms; 0 where none waits for one. */
  public long unheardFor(long now) {
    return unheardSince.isPresent() ? now - unheardSince.getAsLong() : 0;
  }

  /**
   * Whether a hello is due; if so it counts as sent.
   *
   * @param every longest time between two, ms: who starts together with its dispatchers asks more
   *     often at first
   */
  public boolean takeHello(long now, long every) {
    if (epoch.isPresent() || now < nextHello) {
      return false;
    }
    if (firstHello.isPresent() && now - firstHello.getAsLong() > patience) {
      giveUpHello();
      patience = Math.min(2 * patience, MOST_HELLO_PATIENCE);
    }
    if (firstHello.isEmpty()) {
      firstHello = OptionalLong.of(now);
    }
    if (unheardSince.isEmpty()) {
      unheardSince = OptionalLong.of(now);
    }
    long pace = (now - unheardSince.getAsLong()) / HELLO_SLOWING;
    nextHello = now + Math.min(every, Math.max(HELLO_SOONEST, pace));
    return true;
  }

  /**
   * Takes the answer to a hello. A shorter lease and more frequent heartbeats than it says do no
   * harm; a lease of no length would lapse at once, and hello and answer follow each other for
   * ever.
   *
   * @return whether it is the answer to this one, the first, and gives a lease
   */
  public boolean welcomed(Welcome welcome, long now) {
    if (!isAnswered(welcome.nonce()) || welcome.leaseMs() < 1) {
      return false;
    }
    refusal = Optional.empty();
    unheardSince = OptionalLong.empty();
    patience = HELLO_PATIENCE;
    epoch = OptionalLong.of(welcome.epoch());
    // The dispatcher counts the lease from hearing the hello, so a late welcome must not extend it.
    epochSince = firstHello.getAsLong();
    leaseMs = Math.min(welcome.leaseMs(), MOST_TOLD);
    heartbeatMs = Math.clamp(welcome.heartbeatMs(), SAID_SOONEST, MOST_TOLD);
    inventoryMs = Math.clamp(welcome.inventoryMs(), SAID_SOONEST, MOST_TOLD);
    sealedEvents = Boolean.TRUE.equals(welcome.sealedEvents());
    nextHeartbeat = now;
    heartbeats = 0;
    nextInventory = now;
    inventories = 0;
    unanswered.clear();
    // Which repetition was answered is unknown; the first makes the estimate latest, hence safe.
    clockOffset = welcome.at() - firstHello.getAsLong();
    leastClock = welcome.at();
    leastClockSince = now;
    promised = Long.MIN_VALUE;
    return true;
  }

  /**
   * The number of the heartbeat that is due, if one is; it counts as sent, with {@link #promised}.
   */
  public OptionalLong takeHeartbeat(long now) {
    if (epoch.isEmpty() || now < nextHeartbeat) {
      return OptionalLong.empty();
    }
    promised = Math.max(promised, dispatcherAtLeast(now));
    nextHeartbeat = now + heartbeatMs;
    return OptionalLong.of(++heartbeats);
  }

  /** The number of the inventory that is due, if one is; it counts as sent. */
  public OptionalLong takeInventory(long now) {
    if (epoch.isEmpty() || now < nextInventory) {
      return OptionalLong.empty();
    }
    nextInventory = now + inventoryMs;
    inventorySent = now;
    unanswered.put(++inventories, now);
    if (unanswered.size() > MOST_UNANSWERED) {
      unanswered.pollFirstEntry();
    }
    return OptionalLong.of(inventories);
  }

  /** The agent's resources have changed: say so at once. */
  public void inventoryChanged(long now) {
    nextInventory = Math.min(nextInventory, now);
  }

  /** Takes the acknowledgement of a heartbeat. Returns whether the deadline has moved. */
  public boolean acknowledged(long ofEpoch, long sent) {
    if (!isEpoch(ofEpoch) || sent + held() <= deadline) {
      return false;
    }
    deadline = sent + held();
    return true;
  }

  /**
   * A placement came too late by the latest that the dispatcher's clock can show: where that is far
   * from what it shows, the answer to an inventory says so before the placement comes again.
   */
  void refusedAsLate(long now) {
    nextInventory = Math.min(nextInventory, Math.max(now, inventorySent + ASKED_SOONEST));
  }

  /**
   * Takes the answer to an inventory. One that comes again, or after that to a later inventory,
   * only tells that the dispatcher's clock had come so far. One that took long is a loose estimate,
   * so another inventory follows, after as long again: who is slow is not asked more often.
   */
  public void corrected(Clock clock, long now) {
    if (clock.at() > dispatcherAtLeast(now)) {
      leastClock = clock.at();
      leastClockSince = now;
    }
    Long sent = unanswered.get(clock.n());
    if (sent == null) {
      return;
    }
    unanswered.headMap(clock.n(), true).clear();
    sealedEvents = Boolean.TRUE.equals(clock.sealedEvents());
    clockOffset = clock.at() - sent;
    long took = now - sent;
    if (took > LOOSE) {
      nextInventory = Math.min(nextInventory, now + took);
    }
  }

  /**
   * The latest that the dispatcher's clock can show now, and never less than what was promised, ms
   * since 1970, by which placements are refused as late; empty without an epoch.
   */
  public OptionalLong dispatcherNow(long now) {
    return epoch.isPresent()
        ? OptionalLong.of(Math.max(now + clockOffset, promised))
        : OptionalLong.empty();
  }

  /** What the dispatcher's clock shows now at the least, if nobody has set it, ms since 1970. */
  private long dispatcherAtLeast(long now) {
    long passed = now - leastClockSince;
    return leastClock + passed - passed / SLOWNESS;
  }

  /**
   * What the last heartbeat of this epoch promised, ms since 1970: what has expired by it is
   * refused while the epoch is held, even if the dispatcher's clock is set back. Empty before the
   * first.
   */
  public OptionalLong promised() {
    return epoch.isPresent() && promised != Long.MIN_VALUE
        ? OptionalLong.of(promised)
        : OptionalLong.empty();
  }

  /**
   * Whether so much was promised that placements would be refused as late which are not: the
   * dispatcher's clock was set back. Another epoch has made no promise yet.
   */
  public boolean promisedTooMuch(long now) {
    return epoch.isPresent() && now + clockOffset + AHEAD < promised;
  }

  /** When something of this is due next. */
  public long nextDue() {
    if (epoch.isEmpty()) {
      return nextHello;
    }
    long lapse = Math.max(deadline, epochSince + held());
    return Math.min(lapse, Math.min(nextHeartbeat, nextInventory));
  }
}
