package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.SetAsideEnd;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.TroubleBook;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** Sets aside what fails by itself, as the dispatcher's SetAsides, and ends it, as its CodedEnd. */
final class SimAsides {
  private final World world;
  private final SimDatabase database;
  private final Life life;
  private final Consumer<Ledger> follow;
  private final TroubleBook book = new TroubleBook();

  SimAsides(World world, SimDatabase database, Life life, Consumer<Ledger> follow) {
    this.world = world;
    this.database = database;
    this.life = life;
    this.follow = follow;
  }

  <T> Isolation<T> isolation(
      String step,
      Function<T, String> key,
      Function<List<T>, Uni<Void>> together,
      BiFunction<T, String, Uni<Boolean>> giveUp) {
    return new Isolation<>(
        step,
        new Isolation.Means(
            book,
            world::databaseNow,
            Fault::ofOther,
            trouble -> world.note(life.name(), "fails for " + trouble)),
        key,
        together,
        giveUp);
  }

  Uni<Boolean> requests(List<String> requests, String step, String reason) {
    return database
        .transaction(
            life,
            tx -> {
              Ledger ledger = Loads.requests(tx, requests);
              SetAsideEnd.end(ledger, requests, step, reason);
              tx.write(ledger);
              return ledger;
            })
        .invoke(follow)
        .replaceWith(true);
  }

  Uni<Boolean> job(String job, String step, String reason) {
    return database
        .transaction(life, tx -> sharing(tx, job))
        .chain(
            requests ->
                requests.isEmpty()
                    ? Uni.createFrom().item(false)
                    : requests(requests, step, reason));
  }

  private static List<String> sharing(SimTransaction tx, String job) {
    return tx.tables().requests.values().stream()
        .filter(row -> job.equals(row.job()) && !row.cached() && row.ended() == null)
        .map(RequestRow::id)
        .toList();
  }
}
