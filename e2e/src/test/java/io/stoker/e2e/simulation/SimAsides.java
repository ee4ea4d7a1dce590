package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.SetAsideEnd;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.runtime.Trouble;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** Sets aside what fails by itself, as the dispatcher's SetAsides, and ends it, as its CodedEnd. */
final class SimAsides {
  private final SetAsides asides;
  private final SimDatabase database;
  private final Life life;
  private final Consumer<Ledger> follow;

  SimAsides(SetAsides asides, SimDatabase database, Life life, Consumer<Ledger> follow) {
    this.asides = asides;
    this.database = database;
    this.life = life;
    this.follow = follow;
  }

  /** Shows what fails in the story. */
  static SetAsides.Sink shown(World world, Life life) {
    return new SetAsides.Sink() {
      @Override
      public void tried(Trouble trouble) {
        world.note(life.name(), "fails for " + trouble);
      }

      @Override
      public void show(Trouble trouble) {}
    };
  }

  <T> Isolation<T> isolation(
      String step,
      Function<T, String> key,
      Function<List<T>, Uni<Void>> together,
      BiFunction<T, String, Uni<Boolean>> giveUp) {
    return asides.isolation(step, key, together, giveUp);
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
