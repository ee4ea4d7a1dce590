package io.stoker.agent.attempt;

import java.util.Optional;

/** Decides what follows when a part of the agent fails, or works again. */
final class FitnessRules {
  private final DecisionContext context;
  private final AgentState state;

  FitnessRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  /** What runs goes on, and its end is told: only what would come on top is turned down. */
  void judged(Part part, Optional<String> trouble) {
    Fitness before = state.fitness;
    state.fitness = before.judged(part, trouble);
    if (state.fitness.equals(before)) {
      return;
    }
    context.note(
        "%s",
        state.fitness.why().map(why -> "taking nothing new: " + why).orElse("taking jobs again"));
    state.lease.inventoryChanged(context.now.bootMs());
  }
}
