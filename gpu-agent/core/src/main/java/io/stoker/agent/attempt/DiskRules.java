package io.stoker.agent.attempt;

import io.stoker.common.message.AttemptEvent.Warning;
import java.util.List;
import java.util.Optional;

/** What follows when an attempt has written more than it may. */
final class DiskRules {
  private final Turn turn;
  private final AgentState state;

  DiskRules(Turn turn) {
    this.turn = turn;
    this.state = turn.state;
  }

  void sampled(Input.DiskSampled sampled) {
    state.overQuota.retainAll(state.live.keySet());
    for (LiveAttempt attempt : List.copyOf(state.live.values())) {
      Input.DiskSample sample = sampled.runs().get(attempt.key().toString());
      if (attempt.phase() instanceof Phase.Running && sample != null) {
        look(attempt, turn.rules.disk().exceeded(sample, sampled.most()));
      }
    }
  }

  private void look(LiveAttempt attempt, Optional<String> exceeded) {
    AttemptKey key = attempt.key();
    if (exceeded.isEmpty()) {
      if (state.overQuota.remove(key)) {
        turn.warn(attempt, Warning.OVER, "it takes no more of the disk than it may");
      }
    } else if (state.overQuota.add(key)) {
      turn.warn(attempt, Warning.DISK, exceeded.get());
      if (turn.rules.disk().end()) {
        turn.kill(state.live.get(key), KillReason.DISK, exceeded.get() + ": ended");
      }
    }
  }
}
