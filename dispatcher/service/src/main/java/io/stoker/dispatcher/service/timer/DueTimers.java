package io.stoker.dispatcher.service.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.TimerRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.DependencyTable;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.RequestLoader;
import io.stoker.dispatcher.service.postgres.TimerTable;
import io.stoker.dispatcher.timer.TimeOuts;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Applies timers that have run out; one that fails each time ends its request. */
@ApplicationScoped
public class DueTimers {
  private static final String STEP = "timers";
  private static final int AT_ONCE = 500;

  private final Database database;
  private final StatusPublisher statuses;
  private final Wakes wakes;
  private final Isolation<TimerRow.Key> timers;

  DueTimers(
      Database database, StatusPublisher statuses, Wakes wakes, SetAsides asides, CodedEnd ends) {
    this.database = database;
    this.statuses = statuses;
    this.wakes = wakes;
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
    return database
        .read(session -> TimerTable.due(session, AT_ONCE, waiting))
        .chain(due -> timers.apply(due.stream().map(TimerRow::key).toList()));
  }

  private Uni<Void> apply(List<TimerRow.Key> due) {
    return database
        .transaction(session -> apply(session, due))
        .invoke(wakes::afterEnds)
        .invoke(statuses::wakeIfOwed)
        .replaceWithVoid();
  }

  private static Uni<Ledger> apply(StatelessSession session, List<TimerRow.Key> due) {
    List<String> requests = due.stream().map(TimerRow.Key::request).distinct().toList();
    return RequestLoader.load(session, requests)
        .call(
            ledger ->
                TimerTable.stillDue(session, due)
                    .chain(
                        still ->
                            DependencyTable.neverPosted(session, requests)
                                .invoke(waits -> TimeOuts.apply(ledger, still, byRequest(waits)))))
        .call(ledger -> LedgerWriter.write(session, ledger));
  }

  private static Map<String, String> byRequest(List<DependencyRow> waits) {
    return waits.stream()
        .collect(Collectors.toMap(DependencyRow::dependent, DependencyRow::dependsOn));
  }
}
