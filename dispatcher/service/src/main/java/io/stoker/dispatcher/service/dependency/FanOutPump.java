package io.stoker.dispatcher.service.dependency;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.config.Wakes.FanOutWanted;
import io.stoker.dispatcher.service.runtime.Faults;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
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
@ApplicationScoped
public class FanOutPump {
  private static final String DEPENDENTS = "settling its dependency";

  private final FanOutTransaction transaction;
  private final StatusPublisher statuses;
  private final Wakes wakes;
  private final Isolation<DependencyRow> dependents;
  private final Isolation<FanOutRow.Key> fanOuts;
  private final Pump pump;

  /** Those that failed since the pump was woken. */
  private final Set<FanOutRow.Key> left = new HashSet<>();

  FanOutPump(
      Environment environment,
      FanOutTransaction transaction,
      StatusPublisher statuses,
      Wakes wakes,
      SetAsides asides,
      CodedEnd ends) {
    pump = new Pump("fan-out", environment, this::next);
    this.transaction = transaction;
    this.statuses = statuses;
    this.wakes = wakes;
    dependents =
        asides.isolation(
            DEPENDENTS,
            DependencyRow::dependent,
            this::settle,
            (edge, reason) -> ends.requests(List.of(edge.dependent()), DEPENDENTS, reason));
    fanOuts =
        asides.isolation(
            "fan-outs",
            key -> key.kind() + " " + key.subject(),
            one -> transaction.work(one.getFirst()).invoke(this::follow).replaceWithVoid());
  }

  void wake(@Observes FanOutWanted hint) {
    pump.wake();
  }

  public void stop() {
    pump.stop();
  }

  private Uni<Boolean> next() {
    AtomicReference<FanOutRow.Key> claimed = new AtomicReference<>();
    return transaction
        .next(Set.copyOf(left), claimed::set)
        .map(worked -> follow(worked, claimed.get()))
        .onFailure(error -> claimed.get() != null && Faults.of(error) != Fault.OUTAGE)
        .recoverWithUni(() -> apart(claimed.get()));
  }

  private boolean follow(Optional<Ledger> worked, FanOutRow.Key claimed) {
    if (worked.isEmpty()) {
      left.clear();
      return false;
    }
    follow(worked.get());
    fanOuts.succeeded(List.of(claimed));
    dependents.succeeded(List.copyOf(worked.get().dependencies().removed()));
    return true;
  }

  private void follow(Ledger ledger) {
    wakes.afterEnds(ledger);
    statuses.wakeIfOwed(ledger);
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
        .invoke(this::follow)
        .replaceWithVoid();
  }
}
