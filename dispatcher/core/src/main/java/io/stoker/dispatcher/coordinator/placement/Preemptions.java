package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.placement.CapacityAfterPreemption;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.placement.PreemptionReservationRules;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.placement.Running;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.store.PreemptionReservations.Held;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Looks in passes for jobs that may be preempted, where that is switched on. */
public final class Preemptions {
  private final HostDirectory hosts;
  private final Settings settings;

  /**
   * Which jobs may be ended for others.
   *
   * @param enabled whether any may
   * @param minRunMs none that runs for less
   */
  public record Settings(boolean enabled, long minRunMs) {}

  public Preemptions(HostDirectory hosts, Settings settings) {
    this.hosts = hosts;
    this.settings = settings;
  }

  /**
   * What was found after a pass.
   *
   * @param decision the pass's, with what is now said to those for whom others end
   */
  record PreemptionDecision(Decision decision, Optional<Plan> plan) {}

  /** What room is held for whom; in the pass's transaction, which notes what of that is over. */
  Uni<List<Reservation>> reservations(Transaction tx, List<AttemptRow> open, long now) {
    return settings.enabled()
        ? tx.holds().all().chain(all -> reservations(tx, all, open, now))
        : Uni.createFrom().item(List.of());
  }

  private static Uni<List<Reservation>> reservations(
      Transaction tx, List<Held> all, List<AttemptRow> open, long now) {
    Set<String> inLine =
        all.stream()
            .filter(Held::inLine)
            .map(held -> held.hold().job())
            .collect(Collectors.toSet());
    PreemptionReservationRules.Outcome outcome =
        PreemptionReservationRules.apply(all.stream().map(Held::hold).toList(), inLine, open, now);
    return tx.holds()
        .write(List.of(), outcome.changed(), outcome.released())
        .replaceWith(PreemptionReservationRules.reservations(outcome.held(), open));
  }

  /**
   * Looks, in the pass's transaction, for one job that may get others' room.
   *
   * @param held what of the open attempts hosts have behind their slots; seldom asked for
   */
  Uni<PreemptionDecision> look(
      Transaction tx,
      Snapshot snapshot,
      Decision decision,
      List<HostRow> rows,
      List<AttemptRow> open,
      Supplier<List<AttemptRow>> held) {
    if (!settings.enabled() || !Preemption.worthALook(decision)) {
      return Uni.createFrom().item(new PreemptionDecision(decision, Optional.empty()));
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
        .map(
            running ->
                found(
                    snapshot,
                    decision,
                    rows,
                    Preemption.withRoom(open, held.get(), snapshot, decision),
                    running));
  }

  private PreemptionDecision found(
      Snapshot snapshot,
      Decision decision,
      List<HostRow> rows,
      List<AttemptRow> open,
      List<Running> running) {
    CapacityAfterPreemption afterPreemption =
        new CapacityAfterPreemption(rows, open, hosts::alive, hosts::lastHeartbeat);
    Optional<Plan> plan =
        Preemption.decide(snapshot, decision, open, running, afterPreemption, settings.minRunMs());
    return new PreemptionDecision(Preemption.told(decision, running, plan), plan);
  }
}
