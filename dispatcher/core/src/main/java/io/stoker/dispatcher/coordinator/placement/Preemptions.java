package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.Emptied;
import io.stoker.dispatcher.placement.HoldRules;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Preempting;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.placement.Running;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.store.Holds.Held;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Lets jobs make room for others, where that is switched on. What {@link Preemption} finds in a
 * pass is carried out after it, in a transaction of its own: a pass locks the jobs that it places
 * alone, and locks are taken in one order.
 */
public final class Preemptions {
  private static final System.Logger LOG = System.getLogger(Preemptions.class.getName());

  private final Store store;
  private final Leader leader;
  private final HostDirectory hosts;
  private final StatusPublisher statuses;
  private final CommitEvents commits;
  private final PlacementListener listener;
  private final Settings settings;

  /**
   * Which jobs may be ended for others.
   *
   * @param enabled whether any may
   * @param minRunMs none that runs for less
   */
  public record Settings(boolean enabled, long minRunMs) {}

  public Preemptions(
      Store store,
      Leader leader,
      HostDirectory hosts,
      StatusPublisher statuses,
      CommitEvents commits,
      PlacementListener listener,
      Settings settings) {
    this.store = store;
    this.leader = leader;
    this.hosts = hosts;
    this.statuses = statuses;
    this.commits = commits;
    this.listener = listener;
    this.settings = settings;
  }

  /**
   * What was found after a pass.
   *
   * @param decision the pass's, with what is now said to those for whom others end
   */
  record Found(Decision decision, Optional<Plan> plan) {}

  /** What room is held for whom; in the pass's transaction, which notes what of that is over. */
  Uni<List<Claim>> claims(Transaction tx, List<AttemptRow> open, long now) {
    return settings.enabled()
        ? tx.holds().all().chain(all -> claims(tx, all, open, now))
        : Uni.createFrom().item(List.of());
  }

  private static Uni<List<Claim>> claims(
      Transaction tx, List<Held> all, List<AttemptRow> open, long now) {
    Set<String> inLine =
        all.stream()
            .filter(Held::inLine)
            .map(held -> held.hold().job())
            .collect(Collectors.toSet());
    HoldRules.Outcome outcome =
        HoldRules.apply(all.stream().map(Held::hold).toList(), inLine, open, now);
    return tx.holds()
        .write(List.of(), outcome.changed(), outcome.released())
        .replaceWith(HoldRules.claims(outcome.held(), open));
  }

  /** Looks, in the pass's transaction, for one job that may get others' room. */
  Uni<Found> look(
      Transaction tx,
      Snapshot snapshot,
      Decision decision,
      List<HostRow> rows,
      List<AttemptRow> open) {
    if (!settings.enabled() || !Preemption.worthALook(decision)) {
      return Uni.createFrom().item(new Found(decision, Optional.empty()));
    }
    List<AttemptRow> asked =
        open.stream()
            .filter(
                row ->
                    row.preempted() != null
                        || Running.mayBeLookedAt(row, settings.minRunMs(), snapshot.now()))
            .toList();
    return tx.placements()
        .running(asked, open)
        .map(running -> found(snapshot, decision, rows, open, running));
  }

  private Found found(
      Snapshot snapshot,
      Decision decision,
      List<HostRow> rows,
      List<AttemptRow> open,
      List<Running> running) {
    List<AttemptRow> all = Preemption.withPlaced(open, snapshot, decision);
    Emptied emptied = new Emptied(rows, all, hosts::alive, hosts::lastHeartbeat);
    Optional<Plan> plan =
        Preemption.decide(snapshot, decision, all, running, emptied, settings.minRunMs());
    return new Found(Preemption.told(decision, running, plan), plan);
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
                                ? Uni.createFrom().item(Optional.<Ledger>empty())
                                : carryOut(tx, plan.get())))
        .map(done -> done.filter(ledger -> tell(ledger, plan.get())).isPresent());
  }

  private static Uni<Optional<Ledger>> carryOut(Transaction tx, Plan plan) {
    List<String> jobs = new ArrayList<>(plan.victims().stream().map(Running::job).toList());
    jobs.add(plan.hold().job());
    return tx.loadJobs(jobs, false)
        .chain(
            ledger ->
                Preempting.apply(ledger, plan)
                    ? tx.write(ledger)
                        .chain(() -> tx.holds().write(List.of(plan.hold()), List.of(), List.of()))
                        .replaceWith(Optional.of(ledger))
                    : Uni.createFrom().item(Optional.empty()));
  }

  private boolean tell(Ledger ledger, Plan plan) {
    listener.preempted(plan.victims().size());
    LOG.log(
        System.Logger.Level.INFO,
        () ->
            "job %s gets the room of %s on %s"
                .formatted(
                    plan.hold().job(),
                    plan.victims().stream().map(Running::job).toList(),
                    plan.hold().hosts()));
    commits.afterEnds(ledger);
    statuses.wake();
    return true;
  }
}
