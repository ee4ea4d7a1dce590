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

  /** What a host was told, or has told, is in the database a moment later. */
  private static final long FOLLOWS_NANOS = Duration.ofSeconds(2).toNanos();

  private final Watch watch;
  private final Consumer<Signal> told;
  private final long paceNanos;

  /** What changed before it was there cannot be known: its view is fetched once. */
  private boolean changed = true;

  private boolean follows;
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
      follows = follows || change.id() == null;
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
      signal(Signal.CHANGED, now);
    } else if (follows && since >= FOLLOWS_NANOS) {
      follows = false;
      signal(Signal.CHANGED, now);
    } else if (since >= SILENT_NANOS) {
      signal(watch.untold() ? Signal.CHANGED : Signal.ALIVE, now);
    }
  }

  private void signal(Signal signal, long now) {
    toldAt = now;
    told.accept(signal);
  }
}
