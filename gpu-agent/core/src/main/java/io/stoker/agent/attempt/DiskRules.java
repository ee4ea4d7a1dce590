package io.stoker.agent.attempt;

import io.stoker.common.message.AttemptEvent.Warning;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Ends attempts that have written more than they may. */
final class DiskRules {
  private final DecisionContext context;
  private final AgentState state;

  DiskRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  void sampled(Input.DiskSampled sampled) {
    Set<WorkerKey> workers = state.pools.keys();
    state.overQuota.removeIf(key -> !state.live.containsKey(key) && !workers.contains(key));
    for (LiveAttempt attempt : List.copyOf(state.live.values())) {
      Input.DiskSample sample = sampled.runs().get(attempt.key().toString());
      if (attempt.phase() instanceof Phase.Running && sample != null) {
        look(attempt, context.rules.disk().exceeded(sample, sampled.most()));
      }
    }
    for (WorkerKey key : workers) {
      Optional.ofNullable(sampled.runs().get(key.toString()))
          .flatMap(sample -> context.rules.disk().exceeded(sample, sampled.most()))
          .filter(why -> state.overQuota.add(key))
          .ifPresent(why -> outgrown(key, why));
    }
  }

  private void outgrown(WorkerKey key, String why) {
    context.note("worker %s: %s", key, why);
    if (context.rules.disk().end()) {
      new PoolRules(context).outgrown(key, "its worker was ended: " + why);
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
