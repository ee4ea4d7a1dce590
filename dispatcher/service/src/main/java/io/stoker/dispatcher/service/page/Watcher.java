package io.stoker.dispatcher.service.page;

import java.time.Duration;
import java.util.function.Consumer;

/** One open view: it is told that something of it has changed, and not too often. */
final class Watcher {
  /** What a view is told. */
  enum Signal {
    /** It is to be fetched again. */
    CHANGED,
    /** Nothing: who hears nothing at all for longer has lost the connection. */
    ALIVE
  }

  private static final long SILENT_NANOS = Duration.ofSeconds(10).toNanos();

  /**
   * Counts of groups and lines, and the states of experiments, follow what was seen by then, as
   * does what a host was told.
   */
  private static final long SETTLED_NANOS = Duration.ofSeconds(3).toNanos();

  private final Watch watch;
  private final Consumer<Signal> told;
  private final long paceNanos;

  /** What changed before it was there cannot be known: its view is fetched once. */
  private boolean changed = true;

  /** Whether something was seen after which the view has not been fetched once more. */
  private boolean unsettled;

  private long toldAt;

  Watcher(Watch watch, Consumer<Signal> told, long now) {
    this.watch = watch;
    this.told = told;
    paceNanos = watch.pace().toNanos();
    toldAt = now - paceNanos;
  }

  void see(Change change) {
    if (watch.concerns(change)) {
      changed = true;
      unsettled = true;
    }
  }

  /** Something may have changed that nobody could see. */
  void seeAll() {
    changed = true;
  }

  /**
   * Tells what is to be told by now.
   *
   * @param now a reading of a steady clock, in ns
   */
  void tell(long now) {
    long since = now - toldAt;
    if (changed && since >= paceNanos) {
      changed = false;
      tell(Signal.CHANGED, now);
    } else if (unsettled && since >= SETTLED_NANOS) {
      unsettled = false;
      tell(Signal.CHANGED, now);
    } else if (since >= SILENT_NANOS) {
      tell(watch.untold() ? Signal.CHANGED : Signal.ALIVE, now);
    }
  }

  private void tell(Signal signal, long now) {
    toldAt = now;
    told.accept(signal);
  }
}
