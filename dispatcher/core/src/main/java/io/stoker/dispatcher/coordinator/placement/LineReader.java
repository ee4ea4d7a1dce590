package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LineKey;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineRead.Reach;
import io.stoker.dispatcher.placement.LineStarts;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.LineWindow.Outcome;
import io.stoker.dispatcher.placement.Lookback;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Rationed;
import io.stoker.dispatcher.store.Transaction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the line for passes, which come one after the other, and knows whose turn it is. All lines
 * are read from their beginning; where that has come to take long, what this replica knows of is
 * read from where it begins, and all only now and then.
 */
public final class LineReader {
  private final int most;
  private final LeftOut leftOut;
  private final PlacementListener listener;
  private final LineStarts starts = new LineStarts();
  private final Rationed whole;
  private final Rationed some;

  /** Soft state: after a takeover turns begin anew. */
  private volatile LineWindow window = LineWindow.START;

  /** What the last pass kept room for: it is read in any case. */
  private volatile List<String> claimed = List.of();

  /**
   * @param most jobs of one line that a pass looks at
   * @param leftOut jobs that it does not look at
   */
  public LineReader(
      Environment environment, int most, LeftOut leftOut, PlacementListener listener) {
    this.most = most;
    this.leftOut = leftOut;
    this.listener = listener;
    whole = environment.rationed();
    some = environment.rationed();
  }

  /**
   * What was read, and by which window.
   *
   * @param whole whether other lines were read, too, than those of which this replica knows
   */
  record LineView(LineWindow window, LineRead read, boolean whole) {
    LineView with(LineRead more) {
      return new LineView(window, more, whole);
    }

    /** Whether a job of each line is among it. */
    boolean hasAllLines() {
      return whole && !window.many();
    }
  }

  /** A transaction of this replica has committed that may have put jobs in line. */
  public void note(UnitOfWork committed) {
    starts.note(committed.madeReady());
  }

  /** None of these could be placed; whether some of them are not looked at from now on. */
  boolean leavesOut(Set<String> jobs) {
    return jobs.stream().map(leftOut::failed).reduce(false, (some, one) -> some || one);
  }

  /** Reads as much as will be needed, most likely. */
  Uni<LineView> read(Transaction tx) {
    LineWindow by = window;
    return by.many() || isDue(whole) ? readWhole(tx, by) : readOn(tx, by);
  }

  private boolean isDue(Rationed read) {
    return read.isDue() || !starts.areKnown();
  }

  private Uni<LineView> readWhole(Transaction tx, LineWindow by) {
    long begun = starts.begin();
    return whole
        .made(() -> tx.line().read(by, claimed, leftOut.jobs()))
        .chain(
            read -> {
              if (by.tooMany(read)) {
                return readWhole(tx, by.byTurns());
              }
              if (!by.many()) {
                starts.readAll(begun, read);
              }
              return Uni.createFrom().item(new LineView(by, read, true));
            });
  }

  private Uni<LineView> readOn(Transaction tx, LineWindow by) {
    long begun = starts.begin();
    Map<LineKey, Reach> lines =
        starts.reaches(line -> by.deeper().getOrDefault(line, Lookback.LEAST));
    return tx.line()
        .from(lines, claimed, leftOut.jobs())
        .invoke(read -> starts.readOn(begun, lines.keySet(), read))
        .map(read -> new LineView(by, read, false));
  }

  /** Some jobs in line, in no order: so many, or fewer if there are no more. */
  Uni<List<String>> some(Transaction tx, int most) {
    return isDue(some)
        ? some.made(() -> tx.line().some(most))
        : tx.line()
            .from(starts.reaches(line -> most), List.of(), Set.of())
            .map(read -> read.heads().stream().map(QueueHead::job).toList());
  }

  /** Reads more of the lines for which these hosts may have room. */
  Uni<LineView> deeper(Transaction tx, LineView seen, List<Host> hosts) {
    return seen.window().many()
        ? Uni.createFrom().item(seen)
        : deeper(tx, seen, Lookback.of(hosts));
  }

  private Uni<LineView> deeper(Transaction tx, LineView seen, Lookback lookback) {
    Map<LineKey, Reach> more = new LinkedHashMap<>();
    lookback
        .deeper(seen.read(), most)
        .forEach((line, depth) -> more.put(line, seen.read().reach(line, depth)));
    if (more.isEmpty()) {
      return Uni.createFrom().item(seen);
    }
    return tx.line()
        .from(more, List.of(), leftOut.jobs())
        .chain(
            read ->
                read.lines().isEmpty()
                    ? Uni.createFrom().item(seen)
                    : deeper(tx, seen.with(seen.read().with(read)), lookback));
  }

  /**
   * Notes what came of it.
   *
   * @param nowMs on a clock that never goes back
   * @return what the next pass reads
   */
  LineWindow decided(
      LineView seen,
      List<Host> hosts,
      Decision decision,
      Set<String> placed,
      long tookMs,
      long nowMs) {
    listener.read(seen.read().heads().size());
    claimed = decision.reservations().stream().map(Reservation::job).toList();
    Lookback lookback = Lookback.of(hosts);
    Outcome outcome = new Outcome(decision.roomLeft(), seen.read().foundByTurn(placed), tookMs);
    window =
        seen.window()
            .after(seen.read(), outcome, nowMs)
            .before(hosts.size(), lookback.likely(seen.read(), most), lookback.ofFront(most));
    return window;
  }
}
