package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.Floor;
import java.util.List;
import java.util.OptionalLong;

/** Decides what follows from time: leases, time-outs, and regular messages. */
final class LeaseRules {
  /** Ms of silence after which it is said; dispatchers answer within some hundred. */
  private static final long UNHEARD = 10_000;

  private static final long NOTE_AGAIN = 60_000;
  private static final long MS_A_SECOND = 1_000;

  private final DecisionContext context;
  private final AgentState state;
  private final Lease lease;
  private final long now;

  LeaseRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
    this.lease = context.state.lease;
    this.now = context.now.bootMs();
  }

  /** Comes before every decision: an agent that slept past its lease must not act on it. */
  void lapse() {
    if (lease.epochLapsed(now)) {
      drop("its lease has run out");
    } else if (lease.promisedTooMuch(now)) {
      drop("the dispatcher's clock was set back");
    }
    if (lease.processesLapsed(now)) {
      new PoolRules(context).lapse();
      for (LiveAttempt attempt : List.copyOf(state.live.values())) {
        boolean fresh = attempt.phase() instanceof Phase.Waiting && lease.epoch().isPresent();
        if (!fresh) {
          context.kill(attempt, KillReason.LEASE, "the lease of its host ran out");
        }
      }
    }
  }

  private void drop(String why) {
    context.note("dropping epoch %d: %s", lease.epoch().orElseThrow(), why);
    lease.drop(now);
    state.afterKill.clear();
  }

  /** Comes after every decision. */
  void due() {
    timeOuts();
    if (state.stopping) {
      stop();
    }
    if (state.nextOffset.isPresent()
        && !state.stopping
        && lease.takeHello(now, context.rules.times().helloEvery())) {
      context.effect(new Effect.SayHello(lease.nonce(), lease.answer()));
      noteSilence();
    }
    OptionalLong beat = lease.takeHeartbeat(now);
    if (beat.isPresent()) {
      long epoch = lease.epoch().orElseThrow();
      context.effect(new Effect.SayHeartbeat(epoch, beat.getAsLong(), now));
      lowerFloors();
    }
    OptionalLong inventory = lease.takeInventory(now);
    if (inventory.isPresent()) {
      context.effect(new Effect.SayInventory(lease.epoch().orElseThrow(), inventory.getAsLong()));
      prune();
    }
  }

  /** Nobody else tells who looks here: dispatchers do not answer whom they do not believe. */
  private void noteSilence() {
    long unheard = lease.unheardFor(now);
    if (unheard >= UNHEARD && now >= state.noteUnheardFrom) {
      state.noteUnheardFrom = now + NOTE_AGAIN;
      context.note(
          "no dispatcher has answered for %d s: none runs with this Kafka and stoker.topics.prefix,"
              + " or they have a stoker.host-secret and this agent's stoker.agent.key is"
              + " missing or of another host; stoker doctor tells which",
          unheard / MS_A_SECOND);
    }
  }

  private void timeOuts() {
    for (LiveAttempt attempt : state.timed()) {
      if (attempt.phase() instanceof Phase.Running running
          && now >= running.running().startedBootMs() + attempt.place().timeoutMs()) {
        context.kill(
            attempt,
            KillReason.TIMEOUT,
            "ran longer than its time-out of " + attempt.place().timeoutMs() + " ms");
      }
    }
  }

  private void stop() {
    if ((state.endJobsOnStop && !state.live.isEmpty()) || !state.pools.empty()) {
      return;
    }
    if (!state.stopped) {
      state.stopped = true;
      if (state.endJobsOnStop && lease.epoch().isPresent()) {
        context.effect(new Effect.SayGoodbye(lease.epoch().getAsLong()));
      }
      context.effect(new Effect.Stopped());
    }
  }

  void acknowledged(long epoch, long sent) {
    if (lease.acknowledged(epoch, sent)) {
      context.effect(new Effect.MoveDeadline(lease.deadline()));
      context.startWaiting();
    }
  }

  void stopAsked(boolean endJobs) {
    state.stopping = true;
    state.endJobsOnStop = endJobs;
    new PoolRules(context).shutdown();
    if (endJobs) {
      for (LiveAttempt attempt : List.copyOf(state.live.values())) {
        context.kill(attempt, KillReason.STOP, "the agent was stopped");
      }
    }
  }

  /** Drops what can matter to nobody any more. */
  private void prune() {
    long oldest = context.now.wallMs() - context.rules.times().keepReports();
    for (var entry : List.copyOf(state.reports.entrySet())) {
      if (entry.getValue().event().at() < oldest) {
        context.forget(entry.getKey());
      }
    }
  }

  /**
   * By now their placements are refused as late. Each job leaves a floor, and warm workers end
   * thousands of jobs a second: so they are looked at often, and what they are kept for is exact.
   */
  private void lowerFloors() {
    long clock = lease.promised().orElseThrow();
    state.floors.values().removeIf(floor -> past(floor, clock));
  }

  private boolean past(Floor floor, long clock) {
    if (floor.until() + context.rules.times().floorMargin() >= clock) {
      return false;
    }
    AttemptKey key = new AttemptKey(floor.job(), floor.attempt());
    return !state.live.containsKey(key) && !state.reports.containsKey(key);
  }
}
