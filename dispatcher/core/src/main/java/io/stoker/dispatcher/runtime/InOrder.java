package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.function.Function;

/** Does a step for one after the other, or begins several in their order. */
public final class InOrder {
  private InOrder() {}

  /** Done when the last one is; what fails keeps those behind it from being done. */
  public static <T> Uni<Void> each(Iterable<T> all, Function<T, Uni<Void>> step) {
    Uni<Void> done = Uni.createFrom().voidItem();
    for (T one : all) {
      done = done.chain(() -> step.apply(one));
    }
    return done;
  }

  /** Done when all are; they are begun in their order, none waits for another. */
  public static Uni<Void> together(List<Uni<Void>> all) {
    return all.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.join().all(all).andFailFast().replaceWithVoid();
  }
}
