package io.stoker.dispatcher.service.placement;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
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
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.leader.Leadership;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.FleetTable;
import io.stoker.dispatcher.service.postgres.HoldTable;
import io.stoker.dispatcher.service.postgres.HoldTable.Held;
import io.stoker.dispatcher.service.postgres.JobLoader;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.PlacementQueries;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/**
 * Lets jobs make room for others, where that is switched on. What {@link Preemption} finds in a
 * pass is carried out after it, in a transaction of its own: a pass locks the jobs that it places
 * alone, and locks are taken in one order.
 */
@ApplicationScoped
public class Preemptions {
  private static final Logger LOG = Logger.getLogger(Preemptions.class);

  private final Database database;
  private final Leadership leadership;
  private final HostDirectory hosts;
  private final StatusPublisher statuses;
  private final Wakes wakes;
  private final Counter preempted;
  private final boolean enabled;
  private final long minRunMs;

  Preemptions(
      Database database,
      Leadership leadership,
      HostDirectory hosts,
      StatusPublisher statuses,
      Wakes wakes,
      StokerConfig config,
      MeterRegistry meters) {
    this.database = database;
    this.leadership = leadership;
    this.hosts = hosts;
    this.statuses = statuses;
    this.wakes = wakes;
    preempted = meters.counter("stoker.preemptions");
    enabled = config.preemption().enabled();
    minRunMs = config.preemption().minRunTime().toMillis();
  }

  /**
   * What was found after a pass.
   *
   * @param decision the pass's, with what is now said to those for whom others end
   */
  record Found(Decision decision, Optional<Plan> plan) {}

  /** What room is held for whom; in the pass's transaction, which notes what of that is over. */
  Uni<List<Claim>> claims(StatelessSession session, List<AttemptRow> open, long now) {
    return enabled
        ? HoldTable.all(session).chain(all -> claims(session, all, open, now))
        : Uni.createFrom().item(List.of());
  }

  private static Uni<List<Claim>> claims(
      StatelessSession session, List<Held> all, List<AttemptRow> open, long now) {
    Set<String> inLine =
        all.stream()
            .filter(Held::inLine)
            .map(held -> held.hold().job())
            .collect(Collectors.toSet());
    HoldRules.Outcome outcome =
        HoldRules.apply(all.stream().map(Held::hold).toList(), inLine, open, now);
    return HoldTable.write(session, List.of(), outcome.changed(), outcome.released())
        .replaceWith(HoldRules.claims(outcome.held(), open));
  }

  /** Looks, in the pass's transaction, for one job that may get others' room. */
  Uni<Found> look(
      StatelessSession session,
      Snapshot snapshot,
      Decision decision,
      List<HostRow> rows,
      List<AttemptRow> open) {
    if (!enabled || !Preemption.worthALook(decision)) {
      return Uni.createFrom().item(new Found(decision, Optional.empty()));
    }
    List<AttemptRow> asked =
        open.stream()
            .filter(
                row ->
                    row.preempted() != null || Running.mayBeLookedAt(row, minRunMs, snapshot.now()))
            .toList();
    return PlacementQueries.running(session, asked, open)
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
    Optional<Plan> plan = Preemption.decide(snapshot, decision, all, running, emptied, minRunMs);
    return new Found(Preemption.told(decision, running, plan), plan);
  }

  /**
   * Tells those to end who are to, and holds their room, while this replica schedules.
   *
   * @return whether that was done; not if somebody is not where they were when it was found
   */
  Uni<Boolean> carryOut(Optional<Plan> plan) {
    OptionalLong epoch = leadership.epoch();
    if (plan.isEmpty() || epoch.isEmpty()) {
      return Uni.createFrom().item(false);
    }
    return database
        .transaction(
            session ->
                new FleetTable(session)
                    .lock(leadership.fleet(), epoch.getAsLong())
                    .chain(
                        now ->
                            now.isEmpty()
                                ? Uni.createFrom().item(Optional.<Ledger>empty())
                                : carryOut(session, plan.get())))
        .map(done -> done.filter(ledger -> tell(ledger, plan.get())).isPresent());
  }

  private static Uni<Optional<Ledger>> carryOut(StatelessSession session, Plan plan) {
    List<String> jobs = new ArrayList<>(plan.victims().stream().map(Running::job).toList());
    jobs.add(plan.hold().job());
    return JobLoader.load(session, jobs, false)
        .chain(
            ledger ->
                Preempting.apply(ledger, plan)
                    ? LedgerWriter.write(session, ledger)
                        .chain(
                            () ->
                                HoldTable.write(
                                    session, List.of(plan.hold()), List.of(), List.of()))
                        .replaceWith(Optional.of(ledger))
                    : Uni.createFrom().item(Optional.empty()));
  }

  private boolean tell(Ledger ledger, Plan plan) {
    preempted.increment(plan.victims().size());
    LOG.infof(
        "job %s gets the room of %s on %s",
        plan.hold().job(), plan.victims().stream().map(Running::job).toList(), plan.hold().hosts());
    wakes.afterEnds(ledger);
    statuses.wake();
    return true;
  }
}
