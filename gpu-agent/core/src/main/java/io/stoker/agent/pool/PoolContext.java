package io.stoker.agent.pool;

import java.util.function.Consumer;

/**
 * The context that the parts of one pool share: its settings, and where they say what is to be
 * done.
 */
record PoolContext(PoolSettings settings, Consumer<PoolEffect> effects) {

  void effect(PoolEffect effect) {
    effects.accept(effect);
  }

  void note(String sentence, Object... details) {
    effect(new PoolEffect.Note("pool " + settings.name() + ": " + sentence.formatted(details)));
  }

  /** How a task ends that the pool gives back. */
  TaskEnd returned(String why) {
    return new TaskEnd.Returned("pool " + settings.name() + " " + why);
  }
}
