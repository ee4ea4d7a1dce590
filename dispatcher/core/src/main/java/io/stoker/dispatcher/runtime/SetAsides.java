package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.text.PlainText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes what isolates steps and their items, and shows what fails. A failure that has not lasted is
 * not shown.
 */
public final class SetAsides {
  private static final System.Logger LOG = System.getLogger(SetAsides.class.getName());

  /** The step whose items are the sweep's steps. */
  private static final String STEPS = "sweep";

  /** A failure that has lasted so long is shown, and from then on as often, ms. */
  private static final long SHOWN_MS = 10_000;

  private static final long AGAIN_MS = 60_000;
  private static final int KEPT = 1_000;
  private static final int LONGEST = Limits.SENTENCE_CHARACTERS;

  private final Environment environment;
  private final Sink sink;
  private final TroubleBook book = new TroubleBook();
  private final Isolation.Means means;
  private final Map<List<String>, Long> shown =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, Long> eldest) {
          return size() > KEPT;
        }
      };

  /** Where troubles are shown; must not block, and must not fail. */
  public interface Sink {
    /** An item that is set aside was tried again, and failed. */
    void tried(Trouble trouble);

    /** Shows a trouble to people. */
    void show(Trouble trouble);
  }

  public SetAsides(Environment environment, Sink sink) {
    this.environment = environment;
    this.sink = sink;
    means = new Isolation.Means(book, environment::now, environment::fault, this::note);
  }

  /**
   * How many items fail now.
   *
   * @param aside of those that are set aside, or else of the others
   */
  public long failing(boolean aside) {
    return book.all(environment.now()).stream().filter(one -> one.aside() == aside).count();
  }

  /**
   * What does a step for many items.
   *
   * @see Isolation
   */
  public <T> Isolation<T> isolation(
      String step,
      Function<T, String> key,
      Function<List<T>, Uni<Void>> together,
      BiFunction<T, String, Uni<Boolean>> giveUp) {
    return new Isolation<>(step, means, key, together, giveUp);
  }

  /** As the other one, where nothing can be done about what is set aside but to try it again. */
  public <T> Isolation<T> isolation(
      String step, Function<T, String> key, Function<List<T>, Uni<Void>> together) {
    return isolation(step, key, together, (item, reason) -> Uni.createFrom().item(false));
  }

  /** Runs a step of the sweep; what it fails for stops no other step. */
  public Uni<Void> step(String name, Supplier<Uni<Void>> work) {
    return Uni.createFrom()
        .deferred(work::get)
        .invoke(() -> book.over(STEPS, name))
        .onFailure()
        .recoverWithUni(
            error -> {
              stepFailed(name, error);
              return Uni.createFrom().voidItem();
            });
  }

  /** With the trace once: it fails for the same each second. */
  private void stepFailed(String name, Throwable error) {
    String sentence = Fault.sentence(error);
    if (environment.fault(error) == Fault.OUTAGE) {
      environment.failed(name, error);
      return;
    }
    Trouble trouble = book.failed(STEPS, name, sentence, environment.now());
    if (trouble.since() == trouble.last()) {
      environment.failed(name, error);
    }
    note(trouble);
  }

  /** Shows something that failed by itself, and that nobody counts. */
  public void failed(String step, String item, Throwable error) {
    long now = environment.now();
    Trouble trouble =
        new Trouble(step, item, 0, false, false, now, now, now, Fault.sentence(error));
    if (firstFor(trouble, AGAIN_MS)) {
      sink.show(printable(trouble));
    }
  }

  private void note(Trouble trouble) {
    LOG.log(
        trouble.aside() ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG, trouble::said);
    if (trouble.aside()) {
      sink.tried(trouble);
    }
    if (toBeShown(trouble)) {
      sink.show(printable(trouble));
    }
  }

  private boolean toBeShown(Trouble trouble) {
    return trouble.aside()
        || (trouble.last() - trouble.since() >= SHOWN_MS && firstFor(trouble, SHOWN_MS));
  }

  /** Whether it was not shown for so long. */
  private synchronized boolean firstFor(Trouble trouble, long ms) {
    List<String> key = List.of(trouble.step(), trouble.item());
    Long before = shown.get(key);
    if (before != null && trouble.last() - before < ms) {
      return false;
    }
    shown.put(key, trouble.last());
    return true;
  }

  /** A reason may quote whatever could not be stored. */
  private static Trouble printable(Trouble trouble) {
    return new Trouble(
        trouble.step(),
        PlainText.of(trouble.item(), LONGEST),
        trouble.tries(),
        trouble.aside(),
        trouble.ended(),
        trouble.since(),
        trouble.last(),
        trouble.next(),
        PlainText.of(String.valueOf(trouble.reason()), LONGEST));
  }
}
