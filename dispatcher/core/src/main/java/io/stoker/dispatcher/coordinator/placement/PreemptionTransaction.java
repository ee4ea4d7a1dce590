package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.Preempting;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.placement.Running;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Carries out what {@link Preemption} found in a pass, after it and in a transaction of its own: a
 * pass locks the jobs that it places alone, and locks are taken in one order.
 */
public final class PreemptionTransaction {
  private static final System.Logger LOG = System.getLogger(PreemptionTransaction.class.getName());

  private final Store store;
  private final Leader leader;
  private final Ends ends;
  private final PlacementListener listener;

  public PreemptionTransaction(Store store, Leader leader, Ends ends, PlacementListener listener) {
    this.store = store;
    this.leader = leader;
    this.ends = ends;
    this.listener = listener;
  }

  /**
   * Tells those to end who are to, and holds their room, while this replica schedules.
   *
   * @return whether that was done; not if somebody is not where they were when it was found
   */
  Uni<Boolean> carryOut(Optional<Plan> plan) {
    OptionalLong epoch = leader.epoch();
    if (plan.isEmpty() || epoch.isEmpty()) {
      return Uni.createFrom().item(false);
    }
    return store
        .transaction(
            "preempt",
            tx ->
                tx.fleet()
                    .lock(leader.fleet(), epoch.getAsLong())
                    .chain(
                        now ->
                            now.isEmpty()
                                ? Uni.createFrom().item(Optional.<UnitOfWork>empty())
                                : carryOut(tx, plan.get())))
        .map(done -> done.filter(unit -> tell(unit, plan.get())).isPresent());
  }

  private static Uni<Optional<UnitOfWork>> carryOut(Transaction tx, Plan plan) {
    List<String> jobs = new ArrayList<>(plan.victims().stream().map(Running::job).toList());
    jobs.add(plan.hold().job());
    return tx.loadJobs(jobs, false)
        .chain(
            unit ->
                Preempting.apply(unit, plan)
                    ? tx.write(unit)
                        .chain(() -> tx.holds().write(List.of(plan.hold()), List.of(), List.of()))
                        .replaceWith(Optional.of(unit))
                    : Uni.createFrom().item(Optional.empty()));
  }

  private boolean tell(UnitOfWork unit, Plan plan) {
    listener.preempted(plan.victims().size());
    LOG.log(
        System.Logger.Level.INFO,
        () ->
            "job %s gets the room of %s on %s"
                .formatted(
                    plan.hold().job(),
                    plan.victims().stream().map(Running::job).toList(),
                    plan.hold().hosts()));
    ends.follow(unit);
    return true;
  }
}
