package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.coordinator.placement.LineReader.LineView;
import io.stoker.dispatcher.coordinator.placement.PassDecisions.Decided;
import io.stoker.dispatcher.coordinator.placement.Snapshots.Fleet;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.store.Transaction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Does what a pass decides, in a transaction that holds the fleet's row; its unit of work is still
 * to be written.
 */
public final class PassInTransaction {
  private final PassDecisions decisions;
  private final Placing placing;
  private final LookAhead lookAhead;
  private final Preemptions preemptions;

  public PassInTransaction(
      PassDecisions decisions, Placing placing, LookAhead lookAhead, Preemptions preemptions) {
    this.decisions = decisions;
    this.placing = placing;
    this.lookAhead = lookAhead;
    this.preemptions = preemptions;
  }

  /** How jobs in line are loaded that get room; those that are not stay in line. */
  interface Loading {
    Uni<Void> load(UnitOfWork unit, List<String> jobs);
  }

  /** Reads the line. */
  Uni<LineView> line(Transaction tx) {
    return decisions.line(tx);
  }

  /** The pass. */
  Uni<Passed> pass(Transaction tx, Rows rows, LineView seen, long now, Loading loading) {
    UnitOfWork unit = new UnitOfWork(now);
    return preemptions
        .reservations(tx, rows.open(), now)
        .chain(made -> decisions.decide(tx, rows, seen, made, now))
        .chain(decided -> open(tx, unit, decided, loading));
  }

  /** A pass has committed. */
  void remember(Passed passed, FleetReader fleet) {
    decisions.remember(passed);
    fleet.learn(passed);
  }

  private Uni<Passed> open(Transaction tx, UnitOfWork unit, Decided decided, Loading loading) {
    Fleet fleet = decided.fleet();
    Decision decision = decided.decision();
    return preemptions
        .look(
            tx,
            decided.snapshot(),
            decision,
            fleet.rows(),
            fleet.open(),
            () -> lookAhead.beyondSlots(fleet.hosts(), fleet.rows(), fleet.open()))
        .invoke(found -> callBack(unit, decided, found.plan()))
        .chain(
            found ->
                place(unit, decision.assignments(), decided.snapshot(), loading)
                    .map(
                        placed ->
                            new Passed(
                                unit,
                                placed,
                                found.decision(),
                                fleet,
                                decided.read().heads(),
                                decided.left().given(isGivenAnew(unit, decision, placed)),
                                decided.never(),
                                found.plan(),
                                both(decided.read().unreadable(), placed.unreadable()))));
  }

  /** Told before those end who are to end. */
  private void callBack(UnitOfWork unit, Decided decided, Optional<Plan> plan) {
    Fleet fleet = decided.fleet();
    lookAhead
        .calls(decided.snapshot(), decided.decision(), plan, fleet.rows(), fleet.open(), unit.now())
        .forEach(call -> unit.tell(call.host(), call.message()));
  }

  /** Whether some of the room that was given is to be given anew. */
  private boolean isGivenAnew(UnitOfWork unit, Decision decision, Placed placed) {
    return decisions.leavesOut(placed.unreadable().keySet())
        || !decision.assignments().stream().allMatch(one -> isLoaded(unit, one));
  }

  private static boolean isLoaded(UnitOfWork unit, Assignment one) {
    return unit.jobs().find(one.job()).isPresent();
  }

  private static Map<String, RuntimeException> both(
      Map<String, RuntimeException> some, Map<String, RuntimeException> others) {
    Map<String, RuntimeException> all = new LinkedHashMap<>(some);
    all.putAll(others);
    return all;
  }

  private Uni<Placed> place(
      UnitOfWork unit, List<Assignment> assignments, Snapshot snapshot, Loading loading) {
    List<String> jobs = assignments.stream().map(Assignment::job).toList();
    return jobs.isEmpty()
        ? Uni.createFrom().item(Placed.NOTHING)
        : loading.load(unit, jobs).map(loaded -> place(unit, assignments, snapshot));
  }

  private Placed place(UnitOfWork unit, List<Assignment> assignments, Snapshot snapshot) {
    List<Assignment> loaded = assignments.stream().filter(one -> isLoaded(unit, one)).toList();
    Placed placed = placing.place(unit, loaded, snapshot::asked);
    lookAhead.placed(placed, loaded, snapshot);
    return placed;
  }
}
