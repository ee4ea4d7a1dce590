package io.stoker.agent.attempt;

import io.stoker.common.message.AttemptEvent.Warning;
import java.util.List;
import java.util.Optional;

/** Ends attempts that have written more than they may. */
final class DiskRules {
  private final DecisionContext context;
  private final AgentState state;

  DiskRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  void sampled(Input.DiskSampled sampled) {
    state.overQuota.retainAll(state.live.keySet());
    for (LiveAttempt attempt : List.copyOf(state.live.values())) {
      Input.DiskSample sample = sampled.runs().get(attempt.key().toString());
      if (attempt.phase() instanceof Phase.Running && sample != null) {
        look(attempt, context.rules.disk().exceeded(sample, sampled.most()));
      }
    }
  }

  private void look(LiveAttempt attempt, Optional<String> exceeded) {
    AttemptKey key = attempt.key();
    if (exceeded.isEmpty()) {
      if (state.overQuota.remove(key)) {
        context.warn(attempt, Warning.OVER, "it takes no more of the disk than it may");
      }
    } else if (state.overQuota.add(key)) {
      context.warn(attempt, Warning.DISK, exceeded.get());
      if (context.rules.disk().end()) {
        context.kill(state.live.get(key), KillReason.DISK, exceeded.get() + ": ended");
      }
    }
  }
}
