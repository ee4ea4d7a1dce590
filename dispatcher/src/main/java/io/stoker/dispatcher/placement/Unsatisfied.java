package io.stoker.dispatcher.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.LineWalks.Waiting;
import io.stoker.dispatcher.placement.LineWalks.Walk;
import io.stoker.dispatcher.status.StatusPublisher;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.JobLoader;
import io.stoker.dispatcher.store.LedgerWriter;
import io.stoker.dispatcher.store.LineQueries;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Does what {@link NeverServed} found, in a transaction of its own. */
@ApplicationScoped
public class Unsatisfied {
  private final Database database;
  private final StatusPublisher statuses;
  private final Wakes wakes;

  /** Soft state; passes, and so their followings, come one after the other. */
  private volatile LineWalks walks = LineWalks.NONE;

  Unsatisfied(Database database, StatusPublisher statuses, Wakes wakes) {
    this.database = database;
    this.statuses = statuses;
    this.wakes = wakes;
  }

  /** What was done, and for whom behind the first. */
  private record Told(Ledger ledger, List<Waiting> read) {}

  /**
   * Tells those that a pass looked at, and some of those behind them.
   *
   * @param now when the pass was, ms since 1970
   */
  Uni<Void> follow(NeverServed.Found found, long now) {
    Verdicts verdicts = found.verdicts();
    walks = walks.after(found.lines(), found.lookedAt());
    Optional<Walk> turn = walks.turn(now);
    if (verdicts.isEmpty() && turn.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return database
        .transaction(
            session ->
                turn.map(walk -> LineQueries.behind(session, walk, LineWalks.AT_ONCE))
                    .orElse(Uni.createFrom().item(List.of()))
                    .chain(read -> tell(session, all(verdicts, turn, read), read)))
        .invoke(
            told -> {
              turn.ifPresent(walk -> walks = walks.done(walk, told.read(), now));
              wakes.afterEnds(told.ledger());
              statuses.wake();
            })
        .replaceWithVoid();
  }

  private static Verdicts all(Verdicts verdicts, Optional<Walk> turn, List<Waiting> read) {
    return turn.map(walk -> verdicts.and(LineWalks.verdicts(walk, read))).orElse(verdicts);
  }

  private static Uni<Told> tell(StatelessSession session, Verdicts verdicts, List<Waiting> read) {
    if (verdicts.isEmpty()) {
      return Uni.createFrom().item(new Told(new Ledger(0), read));
    }
    return JobLoader.load(session, verdicts.jobs(), true)
        .invoke(ledger -> Unsatisfiable.apply(ledger, verdicts))
        .call(ledger -> LedgerWriter.write(session, ledger))
        .map(ledger -> new Told(ledger, read));
  }
}
