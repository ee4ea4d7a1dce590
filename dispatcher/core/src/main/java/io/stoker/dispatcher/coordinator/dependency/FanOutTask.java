package io.stoker.dispatcher.coordinator.dependency;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Isolation;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/**
 * Works through fan-outs, chunk by chunk, whenever there are some. One that fails is left for the
 * next wake-up, and others are worked through; of one that fails its dependents are settled apart,
 * and who fails each time ends.
 */
public final class FanOutTask {
  private final Environment environment;
  private final FanOutTransaction transaction;
  private final Ends ends;
  private final Isolation<DependencyRow> dependents;
  private final Isolation<FanOutRow.Key> fanOuts;
  private final CoalescingTask task;

  /** Those that failed since the task was woken. */
  private final Set<FanOutRow.Key> left = new HashSet<>();

  public FanOutTask(
      Environment environment, FanOutTransaction transaction, Ends ends, CodedEnd coded) {
    task = new CoalescingTask("fan-out", environment, this::next);
    this.environment = environment;
    this.transaction = transaction;
    this.ends = ends;
    dependents =
        coded.ofRequests(
            "settling its dependency",
            DependencyRow::dependent,
            DependencyRow::dependent,
            this::settle);
    fanOuts =
        coded
            .asides()
            .isolation(
                "fan-outs",
                key -> key.kind() + " " + key.subject(),
                one -> transaction.work(one.getFirst()).invoke(ends::follow).replaceWithVoid());
  }

  /** A hint that there may be some. */
  public void wake() {
    task.wake();
  }

  public void stop() {
    task.stop();
  }

  private Uni<Boolean> next() {
    AtomicReference<FanOutRow.Key> claimed = new AtomicReference<>();
    return transaction
        .next(Set.copyOf(left), claimed::set)
        .map(worked -> follow(worked, claimed.get()))
        .onFailure(error -> claimed.get() != null && environment.fault(error) != Fault.OUTAGE)
        .recoverWithUni(() -> apart(claimed.get()));
  }

  private boolean follow(Optional<UnitOfWork> worked, FanOutRow.Key claimed) {
    if (worked.isEmpty()) {
      left.clear();
      return false;
    }
    ends.follow(worked.get());
    fanOuts.succeeded(List.of(claimed));
    dependents.succeeded(List.copyOf(worked.get().dependencies().removed()));
    return true;
  }

  /** What fails in one transaction is done in several. */
  private Uni<Boolean> apart(FanOutRow.Key key) {
    left.add(key);
    Uni<Void> done =
        switch (key.kind()) {
          case SHARERS -> fanOuts.each(List.of(key));
          case DEPENDENTS -> transaction.edges(key.subject()).chain(dependents::apply);
        };
    return done.replaceWith(true);
  }

  private Uni<Void> settle(List<DependencyRow> edges) {
    Set<String> some = edges.stream().map(DependencyRow::dependent).collect(Collectors.toSet());
    return transaction
        .settle(edges.getFirst().dependsOn(), some)
        .invoke(ends::follow)
        .replaceWithVoid();
  }
}
