package io.stoker.agent.attempt;

import io.stoker.common.message.AttemptEvent.Warning;
import java.util.List;
import java.util.Optional;

/** What follows when an attempt has written more than it may, or the disk is nearly full. */
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
        look(attempt, turn.rules.disk().exceeded(sample));
      }
    }
  }

  /** What runs goes on, and its end is told: only what would come on top is turned down. */
  void judged(Optional<String> shortage) {
    if (shortage.equals(state.service.closed())) {
      return;
    }
    turn.note("%s", shortage.map(why -> "taking nothing new: " + why).orElse("taking jobs again"));
    state.service = state.service.closed(shortage);
    state.lease.inventoryChanged(turn.now.bootMs());
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
