package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Does a batch at once. Where that fails, what it fails for is found by bisection, so that the rest
 * has its effect: each part is done anew, all or nothing, in order.
 *
 * @param <T> what a batch consists of
 */
public final class Bisection<T> {
  private final Function<List<T>, Uni<Void>> together;
  private final BiFunction<T, Throwable, Uni<Void>> refused;
  private final Predicate<Throwable> itsOwn;

  /** Whatever a part fails for is put down to what it consists of. */
  public Bisection(
      Function<List<T>, Uni<Void>> together, BiFunction<T, Throwable, Uni<Void>> refused) {
    this(together, refused, error -> true);
  }

  /**
   * @param together does several; it has no effect where it fails
   * @param refused done about one that fails by itself, and why
   * @param itsOwn whether an error says something of what it happened to; by any other all fails
   */
  public Bisection(
      Function<List<T>, Uni<Void>> together,
      BiFunction<T, Throwable, Uni<Void>> refused,
      Predicate<Throwable> itsOwn) {
    this.together = together;
    this.refused = refused;
    this.itsOwn = itsOwn;
  }

  /** Done when each has had its effect or was refused. */
  public Uni<Void> apply(List<T> batch) {
    if (batch.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return together
        .apply(batch)
        .onFailure(itsOwn)
        .recoverWithUni(
            error -> batch.size() == 1 ? refused.apply(batch.getFirst(), error) : inHalves(batch));
  }

  private Uni<Void> inHalves(List<T> batch) {
    int middle = batch.size() / 2;
    return apply(batch.subList(0, middle)).chain(() -> apply(batch.subList(middle, batch.size())));
  }
}
