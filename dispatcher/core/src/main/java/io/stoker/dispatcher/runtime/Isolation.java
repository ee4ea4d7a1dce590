package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Does a step for many items at once, so that one that fails stops no other: what fails is found by
 * halving, each part done anew. An item that fails again and again while its neighbours succeed is
 * set aside, as {@link TroubleBook} says, and given up once: the step goes on without it.
 *
 * <p>An {@link Fault#OUTAGE} says nothing about the items: the step then fails as a whole, and
 * nothing is counted.
 *
 * @param <T> what the step is done for
 */
public final class Isolation<T> {
  private final String step;
  private final Means means;
  private final Function<T, String> key;
  private final Function<List<T>, Uni<Void>> together;
  private final BiFunction<T, String, Uni<Boolean>> giveUp;

  /**
   * What all steps of a replica have in common.
   *
   * @param clock ms since 1970
   * @param faults reads errors
   * @param noted told of each failure
   */
  public record Means(
      TroubleBook book,
      LongSupplier clock,
      Function<Throwable, Fault> faults,
      Consumer<Trouble> noted) {
    private boolean ofInput(Throwable error) {
      return faults.apply(error) != Fault.OUTAGE;
    }
  }

  /**
   * @param key tells items apart within the step
   * @param together does several; what it has done of them before it fails may be done again
   * @param giveUp done about an item when it is set aside, and at each try of it that fails since,
   *     with the reason; says whether nothing is left to be done of it
   */
  public Isolation(
      String step,
      Means means,
      Function<T, String> key,
      Function<List<T>, Uni<Void>> together,
      BiFunction<T, String, Uni<Boolean>> giveUp) {
    this.step = step;
    this.means = means;
    this.key = key;
    this.together = together;
    this.giveUp = giveUp;
  }

  /** Items that are set aside and not to be tried yet: for who reads them. */
  public Set<String> waiting() {
    return means.book().waiting(step, means.clock().getAsLong());
  }

  /** Others that do the same had success with these. */
  public void succeeded(List<T> items) {
    means.book().succeeded(step, items.stream().map(key).toList(), means.clock().getAsLong());
  }

  /**
   * Where it is done for all that there is by one statement: does so, and where that fails, for
   * each of what there is.
   *
   * @param items asked only then
   */
  public Uni<Void> allOrApart(Supplier<Uni<Void>> all, Supplier<Uni<List<T>>> items) {
    return Uni.createFrom()
        .deferred(() -> all.get())
        .invoke(() -> means.book().allSucceeded(step))
        .onFailure(means::ofInput)
        .recoverWithUni(() -> items.get().chain(this::apply));
  }

  /** Does it for all at once, as far as that goes. Done when each was tried that is to be. */
  public Uni<Void> apply(List<T> items) {
    return apply(items, false);
  }

  /** Does it for one after the other. */
  public Uni<Void> each(List<T> items) {
    return apply(items, true);
  }

  private Uni<Void> apply(List<T> items, boolean apart) {
    if (items.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    long now = means.clock().getAsLong();
    Set<String> waiting = means.book().waiting(step, now);
    Set<String> suspected = means.book().suspected(step, now);
    List<T> sound = new ArrayList<>();
    List<List<T>> alone = new ArrayList<>();
    for (T item : items) {
      String name = key.apply(item);
      if (apart || suspected.contains(name)) {
        if (!waiting.contains(name)) {
          alone.add(List.of(item));
        }
      } else if (!waiting.contains(name)) {
        sound.add(item);
      }
    }
    Map<T, Throwable> failed = new LinkedHashMap<>();
    Bisection<T> bisection =
        new Bisection<>(
            this::run,
            (item, error) -> {
              failed.put(item, error);
              return Uni.createFrom().voidItem();
            },
            means::ofInput);
    return bisection
        .apply(sound)
        .chain(() -> InOrder.each(alone, bisection::apply))
        .chain(
            () ->
                InOrder.each(
                    failed.entrySet(),
                    one -> failed(one.getKey(), Fault.sentence(one.getValue()))));
  }

  private Uni<Void> run(List<T> batch) {
    return Uni.createFrom().deferred(() -> together.apply(batch)).invoke(() -> succeeded(batch));
  }

  /** What becomes of an item that failed by itself. */
  private Uni<Void> failed(T item, String reason) {
    Trouble trouble = means.book().failed(step, key.apply(item), reason, means.clock().getAsLong());
    if (!trouble.aside()) {
      means.noted().accept(trouble);
      return Uni.createFrom().voidItem();
    }
    return Uni.createFrom()
        .deferred(() -> giveUp.apply(item, reason))
        .onFailure(means::ofInput)
        .recoverWithItem(false)
        .invoke(
            over -> {
              if (over) {
                means.book().over(step, trouble.item());
              }
              means.noted().accept(over ? trouble.given() : trouble);
            })
        .replaceWithVoid();
  }
}
