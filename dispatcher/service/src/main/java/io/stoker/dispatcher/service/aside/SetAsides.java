package io.stoker.dispatcher.service.aside;

import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.text.PlainText;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.Trouble;
import io.stoker.dispatcher.runtime.TroubleBook;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.SetAsideTable;
import io.stoker.dispatcher.service.postgres.Unreadable;
import io.stoker.dispatcher.service.runtime.Faults;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Makes what isolates steps and their items, and shows what fails: to all replicas in a table, to
 * people in logs and metrics. A failure that has not lasted is not written.
 */
@ApplicationScoped
public class SetAsides {
  private static final Logger LOG = Logger.getLogger(SetAsides.class);

  /** The step whose items are the sweep's steps. */
  private static final String STEPS = "sweep";

  /** A failure that has lasted so long is shown, and from then on as often, ms. */
  private static final long SHOWN_MS = 10_000;

  private static final long AGAIN_MS = 60_000;
  private static final int KEPT = 1_000;
  private static final long STARTED_AT = System.currentTimeMillis();
  private static final long STARTED_NANOS = System.nanoTime();
  private static final int LONGEST = Limits.SENTENCE_CHARACTERS;

  private final Database database;
  private final TroubleBook book = new TroubleBook();
  private final Isolation.Means means =
      new Isolation.Means(book, SetAsides::now, Faults::of, this::note);
  private final MeterRegistry meters;
  private final Map<List<String>, Long> shown =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, Long> eldest) {
          return size() > KEPT;
        }
      };

  SetAsides(Database database, MeterRegistry meters) {
    this.database = database;
    this.meters = meters;
    meters.gauge("stoker.set.aside", book, all -> count(all, true));
    meters.gauge("stoker.failing", book, all -> count(all, false));
  }

  /** Ms since 1970, as it was at the start, and however that clock is set since. */
  private static long now() {
    return STARTED_AT + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - STARTED_NANOS);
  }

  private static long count(TroubleBook book, boolean aside) {
    return book.all(now()).stream().filter(one -> one.aside() == aside).count();
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
    if (Faults.of(error) == Fault.OUTAGE) {
      LOG.warnf("%s failed; the next sweep tries again: %s", name, sentence);
      return;
    }
    Trouble trouble = book.failed(STEPS, name, sentence, now());
    if (trouble.since() == trouble.last()) {
      LOG.warnf(error, "%s failed; the next sweep tries again", name);
    }
    note(trouble);
  }

  /** Shows something that failed by itself, and that nobody counts. */
  public void failed(String step, String item, Throwable error) {
    long now = now();
    Trouble trouble =
        new Trouble(step, item, 0, false, false, now, now, now, Fault.sentence(error));
    if (firstFor(trouble, AGAIN_MS)) {
      show(trouble);
    }
  }

  /** Shows what was stored and cannot be read. */
  public void showUnreadable() {
    for (Unreadable.Found found : Unreadable.found()) {
      failed("reading stored rows", found.what(), found.why());
    }
  }

  private void note(Trouble trouble) {
    if (trouble.aside()) {
      LOG.warnf(
          "%s: %s is %s: %s",
          trouble.step(),
          trouble.item(),
          trouble.ended() ? "given up" : "set aside",
          trouble.reason());
      meters.counter("stoker.set.aside.tries", "step", trouble.step()).increment();
    } else {
      LOG.debugf("%s fails for %s: %s", trouble.step(), trouble.item(), trouble.reason());
    }
    if (toBeShown(trouble)) {
      show(trouble);
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

  /** Once: where it is not written, the next failure is. */
  private void show(Trouble trouble) {
    Trouble written = printable(trouble);
    database
        .once(session -> SetAsideTable.note(session, written))
        .subscribe()
        .with(
            done -> {}, error -> LOG.warnf("%s was not noted: %s", written, Fault.sentence(error)));
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
