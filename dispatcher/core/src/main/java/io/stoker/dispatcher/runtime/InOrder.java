package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.util.function.Function;

/** Does a step for one after the other. */
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
}
