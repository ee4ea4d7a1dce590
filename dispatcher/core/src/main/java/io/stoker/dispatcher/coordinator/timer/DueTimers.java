package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import io.stoker.dispatcher.timer.TimeOuts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Applies timers that have run out; one that fails each time ends its request. */
public final class DueTimers {
  private static final int AT_ONCE = 500;

  /** For how long one run goes on where there are more: others of the sweep wait for it. */
  private static final long LONGEST_NANOS = Duration.ofMillis(500).toNanos();

  private final Environment environment;
  private final Store store;
  private final Ends ends;
  private final Isolation<TimerRow.Key> timers;

  public DueTimers(Environment environment, Store store, Ends ends, CodedEnd coded) {
    this.environment = environment;
    this.store = store;
    this.ends = ends;
    timers = coded.ofRequests("timers", DueTimers::name, TimerRow.Key::request, this::apply);
  }

  private static String name(TimerRow.Key timer) {
    return timer.kind() + " " + timer.request();
  }

  private static TimerRow.Key key(String name) {
    String[] parts = name.split(" ", 2);
    return new TimerRow.Key(TimerRow.Kind.valueOf(parts[0]), parts[1]);
  }

  /** Applies what has run out; if that takes long, the next run goes on with the rest. */
  public Uni<Void> run() {
    return run(environment.nanos());
  }

  private Uni<Void> run(long since) {
    List<TimerRow.Key> waiting = timers.waiting().stream().map(DueTimers::key).toList();
    return store
        .read(tx -> tx.timers().due(AT_ONCE, waiting))
        .call(due -> timers.apply(due.stream().map(TimerRow::key).toList()))
        .chain(
            due ->
                due.size() == AT_ONCE && environment.nanos() - since < LONGEST_NANOS
                    ? run(since)
                    : Uni.createFrom().voidItem());
  }

  private Uni<Void> apply(List<TimerRow.Key> due) {
    return store.transaction("timers", tx -> apply(tx, due)).invoke(ends::follow).replaceWithVoid();
  }

  private static Uni<UnitOfWork> apply(Transaction tx, List<TimerRow.Key> due) {
    List<String> requests = due.stream().map(TimerRow.Key::request).distinct().toList();
    return tx.loadRequests(requests)
        .call(
            unit ->
                tx.timers()
                    .stillDue(due)
                    .chain(
                        still ->
                            tx.dependencies()
                                .neverPosted(requests)
                                .invoke(waits -> TimeOuts.apply(unit, still, byRequest(waits)))))
        .call(tx::write);
  }

  private static Map<String, String> byRequest(List<DependencyRow> waits) {
    return waits.stream()
        .collect(Collectors.toMap(DependencyRow::dependent, DependencyRow::dependsOn));
  }
}
