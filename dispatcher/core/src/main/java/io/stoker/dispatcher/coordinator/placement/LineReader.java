package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.Depth;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.LineWindow.Outcome;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Set;

/** Reads the line for passes, which come one after the other, and knows whose turn it is. */
final class LineReader {
  private final int most;
  private final LeftOut leftOut;
  private final PlacementListener listener;

  /** Soft state: after a takeover turns begin anew. */
  private volatile LineWindow window = LineWindow.START;

  /** What the last pass kept room for: it is read in any case. */
  private volatile List<String> claimed = List.of();

  /**
   * @param most jobs of one line that a pass looks at
   * @param leftOut jobs that it does not look at
   */
  LineReader(int most, LeftOut leftOut, PlacementListener listener) {
    this.most = most;
    this.leftOut = leftOut;
    this.listener = listener;
  }

  /** What was read, and by which window. */
  record Seen(LineWindow window, LineRead read) {
    Seen with(LineRead more) {
      return new Seen(window, more);
    }
  }

  /** Reads as much as will be needed, most likely. */
  Uni<Seen> read(Transaction tx) {
    return read(tx, window);
  }

  private Uni<Seen> read(Transaction tx, LineWindow by) {
    return tx.line()
        .read(by, claimed, leftOut.jobs())
        .chain(
            read ->
                by.tooMany(read)
                    ? read(tx, by.byTurns())
                    : Uni.createFrom().item(new Seen(by, read)));
  }

  /** Reads more of the lines for which these hosts may have room. */
  Uni<Seen> deeper(Transaction tx, Seen seen, List<Host> hosts) {
    return seen.window().many()
        ? Uni.createFrom().item(seen)
        : tx.line()
            .deeper(Depth.of(hosts).deeper(seen.read(), most), leftOut.jobs())
            .map(more -> seen.with(seen.read().with(more)));
  }

  /**
   * Notes what came of it.
   *
   * @param nowMs on a clock that never goes back
   * @return what the next pass reads
   */
  LineWindow decided(
      Seen seen, List<Host> hosts, Decision decision, Set<String> placed, long tookMs, long nowMs) {
    listener.read(seen.read().heads().size());
    claimed = decision.claims().stream().map(Claim::job).toList();
    Depth depth = Depth.of(hosts);
    Outcome outcome = new Outcome(decision.roomLeft(), seen.read().foundByTurn(placed), tookMs);
    window =
        seen.window()
            .after(seen.read(), outcome, nowMs)
            .before(hosts.size(), depth.likely(seen.read(), most), depth.ofFront(most));
    return window;
  }
}
