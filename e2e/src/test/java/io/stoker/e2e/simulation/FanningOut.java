package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.dependency.FanOut;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/** Works off what many are to be told of, as FanOutPump and FanOutTransaction. */
final class FanningOut {
  private final SimDatabase database;
  private final Life life;
  private final Settlement settlement;
  private final Consumer<Ledger> follow;

  FanningOut(SimDatabase database, Life life, Settlement settlement, Consumer<Ledger> follow) {
    this.database = database;
    this.life = life;
    this.settlement = settlement;
    this.follow = follow;
  }

  Uni<Boolean> some() {
    return database
        .transaction(life, this::workOne)
        .map(
            worked -> {
              worked.ifPresent(follow);
              return worked.isPresent();
            });
  }

  private Optional<Ledger> workOne(SimTransaction tx) {
    Optional<FanOutRow> some = tx.lockSomeFanOut();
    if (some.isEmpty()) {
      return Optional.empty();
    }
    FanOutRow row = some.get();
    Ledger ledger = new Ledger(tx.now());
    ledger.fanOuts().load(row);
    switch (row.kind()) {
      case SHARERS -> owe(tx, ledger, row);
      case DEPENDENTS -> settle(tx, ledger, row);
    }
    tx.write(ledger);
    return Optional.of(ledger);
  }

  private static void owe(SimTransaction tx, Ledger ledger, FanOutRow row) {
    List<String> sharers = tx.sharers(row.subject(), row.after(), Settings.CHUNK);
    FanOut.owe(ledger, row, sharers, Settings.CHUNK);
    List<JobRow> jobs = tx.readJobs(List.of(row.subject()));
    if (!jobs.isEmpty() && !jobs.get(0).live()) {
      tx.dependedOnAmong(sharers).forEach(id -> ledger.fanOut(FanOutRow.Kind.DEPENDENTS, id));
    }
  }

  private void settle(SimTransaction tx, Ledger ledger, FanOutRow row) {
    String subject = row.subject();
    List<DependencyRow> edges = tx.dependenciesOn(subject, Settings.CHUNK);
    List<JobRequest> requests =
        FanOut.requests(tx.readRequests(edges.stream().map(DependencyRow::dependent).toList()));
    Map<String, Dependent> dependents =
        FanOut.dependents(requests, tx.readRequests(FanOut.inputs(requests)));
    tx.shareJobsByFingerprint(FanOut.fingerprints(dependents)).forEach(ledger::loadJob);
    ledger.requests().loadAll(tx.lockRequests(dependents.keySet()));
    List<RequestRow> subjects = tx.readRequests(List.of(subject));
    ledger.requests().loadAll(subjects);
    tx.shareJobs(subjects.stream().map(RequestRow::job).filter(Objects::nonNull).toList())
        .forEach(ledger::loadJob);
    List<DependencyRow> now = tx.dependenciesOn(subject, Settings.CHUNK);
    FanOut.settle(ledger, settlement, row.key(), now, dependents, Settings.CHUNK);
  }
}
