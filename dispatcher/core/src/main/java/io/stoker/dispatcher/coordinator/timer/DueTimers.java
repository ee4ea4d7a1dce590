package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.TimerRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import io.stoker.dispatcher.timer.TimeOuts;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Applies timers that have run out; one that fails each time ends its request. */
public final class DueTimers {
  private static final String STEP = "timers";
  private static final int AT_ONCE = 500;

  private final Store store;
  private final CommitEvents commits;
  private final StatusPublisher statuses;
  private final Isolation<TimerRow.Key> timers;

  public DueTimers(
      Store store,
      CommitEvents commits,
      StatusPublisher statuses,
      SetAsides asides,
      CodedEnd ends) {
    this.store = store;
    this.commits = commits;
    this.statuses = statuses;
    timers =
        asides.isolation(
            STEP,
            DueTimers::name,
            this::apply,
            (timer, reason) -> ends.requests(List.of(timer.request()), STEP, reason));
  }

  private static String name(TimerRow.Key timer) {
    return timer.kind() + " " + timer.request();
  }

  private static TimerRow.Key key(String name) {
    String[] parts = name.split(" ", 2);
    return new TimerRow.Key(TimerRow.Kind.valueOf(parts[0]), parts[1]);
  }

  /** Applies what has run out. */
  public Uni<Void> run() {
    List<TimerRow.Key> waiting = timers.waiting().stream().map(DueTimers::key).toList();
    return store
        .read(tx -> tx.timers().due(AT_ONCE, waiting))
        .chain(due -> timers.apply(due.stream().map(TimerRow::key).toList()));
  }

  private Uni<Void> apply(List<TimerRow.Key> due) {
    return store
        .transaction("timers", tx -> apply(tx, due))
        .invoke(commits::afterEnds)
        .invoke(statuses::wakeIfOwed)
        .replaceWithVoid();
  }

  private static Uni<Ledger> apply(Transaction tx, List<TimerRow.Key> due) {
    List<String> requests = due.stream().map(TimerRow.Key::request).distinct().toList();
    return tx.loadRequests(requests)
        .call(
            ledger ->
                tx.timers()
                    .stillDue(due)
                    .chain(
                        still ->
                            tx.dependencies()
                                .neverPosted(requests)
                                .invoke(waits -> TimeOuts.apply(ledger, still, byRequest(waits)))))
        .call(tx::write);
  }

  private static Map<String, String> byRequest(List<DependencyRow> waits) {
    return waits.stream()
        .collect(Collectors.toMap(DependencyRow::dependent, DependencyRow::dependsOn));
  }
}
