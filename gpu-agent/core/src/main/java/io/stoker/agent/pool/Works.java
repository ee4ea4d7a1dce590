package io.stoker.agent.pool;

import java.util.function.Consumer;

/** What the roles within one pool share. */
record Works(
    PoolSettings settings,
    Slots slots,
    Tasks tasks,
    Crew crew,
    Door door,
    Supply supply,
    Consumer<PoolEffect> effects) {

  static Works of(PoolSettings settings, PoolMemory memory, int begun, Consumer<PoolEffect> to) {
    Slots slots = new Slots(settings);
    return new Works(
        settings,
        slots,
        new Tasks(new Counts(memory, begun), to),
        new Crew(settings, slots, to),
        new Door(memory.closing(), settings.min() == 0),
        new Supply(settings.start()),
        to);
  }

  void note(String sentence, Object... details) {
    effects.accept(
        new PoolEffect.Note("pool " + settings.name() + ": " + sentence.formatted(details)));
  }

  /** How a task ends that the pool gives back. */
  TaskEnd returned(String why) {
    return new TaskEnd.Returned("pool " + settings.name() + " " + why);
  }

  /** Whether the workers that are always to be there are. */
  boolean up() {
    return slots.up() >= settings.min();
  }
}
