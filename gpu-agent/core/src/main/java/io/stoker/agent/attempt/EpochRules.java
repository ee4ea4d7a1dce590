package io.stoker.agent.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Challenge;
import io.stoker.common.message.ToAgent.Refused;
import io.stoker.common.message.ToAgent.Welcome;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides what follows from the answers to a hello, and from epochs that were granted to others.
 */
final class EpochRules {
  /** What another agent of the same name is told is noted this often at most, in ms. */
  private static final long NOTE_AGAIN = 60_000;

  private final DecisionContext context;
  private final AgentState state;
  private final long now;

  EpochRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
    this.now = context.now.bootMs();
  }

  /** Takes the answer to a hello; false if the message is none. */
  boolean answered(ToAgent message) {
    switch (message) {
      case Welcome welcome -> welcome(welcome);
      case Challenge asked -> state.lease.challenged(asked, now);
      case Refused told -> refused(told);
      default -> {
        return false;
      }
    }
    return true;
  }

  private void welcome(Welcome welcome) {
    if (state.lease.welcomed(welcome, now)) {
      context.note("welcomed in epoch %d, lease %d ms", welcome.epoch(), welcome.leaseMs());
      context.startWaiting();
    } else if (welcome.leaseMs() < 1) {
      context.note("not taken: a welcome with a lease of %d ms", welcome.leaseMs());
    }
  }

  private void refused(Refused told) {
    Optional<String> before = state.lease.refusal();
    boolean mine = state.lease.refused(told, now);
    if (mine && !before.equals(state.lease.refusal())) {
      context.note("not welcome: %s. It asks again each %d ms", told.reason(), told.retryMs());
    }
    if (!mine && state.lease.epoch().isPresent() && now >= state.noteRivalFrom) {
      state.noteRivalFrom = now + NOTE_AGAIN;
      context.note("another agent asks for the name of this host, and is told: %s", told.reason());
    }
  }

  /**
   * A newer epoch was granted, to a hello that this agent has given up or to another agent of this
   * name: unless it asks again, each would wait for the other for ever. Without an epoch it sends
   * no heartbeat, so the time of what it runs is not renewed.
   */
  void overruled(long granted) {
    OptionalLong mine = state.lease.epoch();
    if (mine.isPresent() && granted > mine.getAsLong()) {
      context.note("epoch %d was granted since: dropping epoch %d", granted, mine.getAsLong());
      state.lease.drop(now);
      state.afterKill.clear();
    }
  }
}
