package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.dependency.FanOut;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.dependency.Settlement.Input;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Works off what many are to be told of, as FanOutPump and FanOutTransaction. */
final class FanningOut {
  private static final String DEPENDENTS = "dependents";

  private final SimDatabase database;
  private final Life life;
  private final Settlement settlement;
  private final Consumer<Ledger> follow;
  private final Isolation<DependencyRow> dependents;
  private final Set<FanOutRow.Key> left = new HashSet<>();

  FanningOut(
      SimDatabase database,
      Life life,
      Settlement settlement,
      SetAsides asides,
      CodedEnd ends,
      Consumer<Ledger> follow) {
    this.database = database;
    this.life = life;
    this.settlement = settlement;
    this.follow = follow;
    dependents =
        asides.isolation(
            DEPENDENTS,
            DependencyRow::dependent,
            this::settleApart,
            (edge, reason) -> ends.requests(List.of(edge.dependent()), DEPENDENTS, reason));
  }

  Uni<Boolean> some() {
    AtomicReference<FanOutRow.Key> claimed = new AtomicReference<>();
    return database
        .transaction(life, tx -> workOne(tx, claimed))
        .map(
            worked -> {
              worked.ifPresent(follow);
              worked.ifPresent(done -> dependents.succeeded(done.dependencies().removed()));
              if (worked.isEmpty()) {
                left.clear();
              }
              return worked.isPresent();
            })
        .onFailure(Poison::isOf)
        .recoverWithUni(() -> apart(claimed.get()));
  }

  private Uni<Boolean> apart(FanOutRow.Key key) {
    left.add(key);
    return database
        .transaction(life, tx -> tx.dependenciesOn(key.subject(), Settings.CHUNK))
        .chain(dependents::apply)
        .replaceWith(true);
  }

  private Uni<Void> settleApart(List<DependencyRow> edges) {
    Set<String> only = edges.stream().map(DependencyRow::dependent).collect(Collectors.toSet());
    FanOutRow.Key key = new FanOutRow.Key(FanOutRow.Kind.DEPENDENTS, edges.getFirst().dependsOn());
    return database
        .transaction(
            life,
            tx ->
                tx.lockFanOut(key)
                    .map(
                        row -> {
                          Ledger ledger = new Ledger(tx.now());
                          ledger.fanOuts().load(row);
                          settle(tx, ledger, row, only);
                          tx.write(ledger);
                          return ledger;
                        }))
        .invoke(worked -> worked.ifPresent(follow))
        .replaceWithVoid();
  }

  private Optional<Ledger> workOne(SimTransaction tx, AtomicReference<FanOutRow.Key> claimed) {
    Optional<FanOutRow> some = tx.lockSomeFanOut(left);
    if (some.isEmpty()) {
      return Optional.empty();
    }
    FanOutRow row = some.get();
    claimed.set(row.key());
    Ledger ledger = new Ledger(tx.now());
    ledger.fanOuts().load(row);
    switch (row.kind()) {
      case SHARERS -> owe(tx, ledger, row);
      case DEPENDENTS -> settle(tx, ledger, row, null);
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

  private static List<DependencyRow> edges(SimTransaction tx, String subject, Set<String> only) {
    return tx.dependenciesOn(subject, Settings.CHUNK).stream()
        .filter(edge -> only == null || only.contains(edge.dependent()))
        .toList();
  }

  private void settle(SimTransaction tx, Ledger ledger, FanOutRow row, Set<String> only) {
    String subject = row.subject();
    List<DependencyRow> edges = edges(tx, subject, only);
    List<RequestRow> rows = tx.readRequests(edges.stream().map(DependencyRow::dependent).toList());
    List<JobRequest> requests = FanOut.requests(rows);
    Map<String, Dependent> dependents =
        FanOut.dependents(requests, inputs(tx, FanOut.inputs(requests)));
    dependents.putAll(FanOut.over(rows));
    Loads.equals(tx, ledger, FanOut.meanings(dependents));
    ledger.requests().loadAll(tx.lockRequests(dependents.keySet()));
    List<RequestRow> subjects = tx.readRequests(List.of(subject));
    ledger.requests().loadAll(subjects);
    tx.shareJobs(subjects.stream().map(RequestRow::job).filter(Objects::nonNull).toList())
        .forEach(ledger::loadJob);
    List<DependencyRow> now = edges(tx, subject, only);
    int chunk = only == null ? Settings.CHUNK : 0;
    FanOut.settle(ledger, settlement, row.key(), now, dependents, chunk);
  }

  private static Map<String, Input> inputs(SimTransaction tx, Set<String> ids) {
    Map<String, Input> known = new HashMap<>();
    for (RequestRow row : tx.readRequests(ids)) {
      JobRow job = row.job() == null ? null : tx.tables().jobs.get(row.job());
      int bytes = job == null || job.result() == null ? 0 : job.result().length();
      RequestState state = row.isPlaceholder() ? row.ended() : tx.tables().state(row);
      known.put(row.id(), new Input(row.fingerprint(), row.job(), state, bytes));
    }
    return known;
  }
}
