package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.dispatcher.attempt.GangStart;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import io.stoker.dispatcher.timer.SweepRules;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Sees to attempts whose agents may not have been told something, and closes those in vain. */
public final class UntoldAttempts {
  private final Store store;
  private final Function<String, Optional<Heartbeat>> lastHeartbeats;
  private final Function<List<AttemptRow>, Uni<Void>> placements;
  private final StatusPublisher statuses;
  private final AgentTeller agents;
  private final CommitEvents commits;
  private final SetAsides asides;
  private final long publishAgainMs;
  private final Isolation<String> overdue;
  private final Isolation<SweepRules.Word> words;
  private final Isolation<String> starts;

  /**
   * @param lastHeartbeats by host; nothing where none was heard
   * @param placements publishes those of these that are still open and not accepted
   * @param publishAgainMs how old an attempt is, at least, until it is looked at
   */
  public UntoldAttempts(
      Store store,
      Function<String, Optional<Heartbeat>> lastHeartbeats,
      Function<List<AttemptRow>, Uni<Void>> placements,
      StatusPublisher statuses,
      AgentTeller agents,
      CommitEvents commits,
      SetAsides asides,
      CodedEnd ends,
      long publishAgainMs) {
    this.store = store;
    this.lastHeartbeats = lastHeartbeats;
    this.placements = placements;
    this.statuses = statuses;
    this.agents = agents;
    this.commits = commits;
    this.asides = asides;
    this.publishAgainMs = publishAgainMs;
    overdue =
        asides.isolation(
            "overdue attempts",
            job -> job,
            this::close,
            (job, reason) -> ends.job(job, "closing its attempt", reason));
    words = asides.isolation("words to agents", SweepRules.Word::job, this::tell);
    starts = asides.isolation("starts of gangs", job -> job, this::start);
  }

  /** Looks at all. */
  public Uni<Void> chase() {
    return store
        .read(this::untold)
        .chain(untold -> untold.attempts().isEmpty() ? Uni.createFrom().voidItem() : chase(untold));
  }

  private Uni<Untold> untold(Transaction tx) {
    return tx.attempts()
        .untold()
        .chain(
            open ->
                open.isEmpty()
                    ? Uni.createFrom().item(open)
                    : tx.now().map(now -> older(open, now)))
        // After them: where their hosts are is what the heartbeats are compared with.
        .chain(
            open ->
                open.isEmpty()
                    ? Uni.createFrom().item(new Untold(open, List.of()))
                    : tx.hosts().all().map(rows -> new Untold(open, rows)));
  }

  /**
   * What is placed in the future was placed while the clock was ahead: nobody knows how long ago.
   */
  private List<AttemptRow> older(List<AttemptRow> open, long now) {
    return open.stream()
        .filter(attempt -> attempt.placedAt() + publishAgainMs < now || attempt.placedAt() > now)
        .toList();
  }

  private record Untold(List<AttemptRow> attempts, List<HostRow> hosts) {}

  private Uni<Void> chase(Untold found) {
    List<AttemptRow> untold = found.attempts();
    List<AttemptRow> unaccepted = untold.stream().filter(attempt -> !attempt.accepted()).toList();
    return asides
        .step("closing overdue attempts", () -> overdue.apply(overdue(found)))
        .chain(() -> asides.step("placements", () -> placements.apply(unaccepted)))
        .chain(() -> asides.step("words to agents", () -> words.apply(SweepRules.words(untold))))
        .chain(
            () -> asides.step("starts of gangs", () -> starts.apply(SweepRules.mayStart(untold))))
        .chain(() -> asides.step("statuses of placements", () -> publishPlaced(unaccepted)));
  }

  private List<String> overdue(Untold untold) {
    return untold.attempts().stream()
        .filter(attempt -> overdue(attempt, untold.hosts()))
        .map(AttemptRow::job)
        .distinct()
        .toList();
  }

  private boolean overdue(AttemptRow attempt, List<HostRow> rows) {
    return rows.stream()
        .filter(row -> row.id().equals(attempt.host()))
        .anyMatch(row -> SweepRules.overdue(attempt, row, lastHeartbeats.apply(row.id())));
  }

  private Uni<Void> close(List<String> jobs) {
    return store
        .transaction(
            "overdue attempts",
            tx ->
                tx.hosts()
                    .all()
                    .chain(
                        rows ->
                            tx.loadJobs(jobs, true)
                                .invoke(
                                    ledger ->
                                        SweepRules.close(
                                            ledger, attempt -> overdue(attempt, rows))))
                    .call(tx::write))
        .invoke(this::follow)
        .replaceWithVoid();
  }

  private Uni<Void> tell(List<SweepRules.Word> some) {
    return agents.tell(SweepRules.byHost(some));
  }

  /** Members of gangs whose start may not have reached them. */
  private Uni<Void> start(List<String> jobs) {
    return store
        .transaction("starts of gangs", tx -> tx.loadJobs(jobs, false).invoke(GangStart::tellAll))
        .invoke(this::follow)
        .replaceWithVoid();
  }

  /** The attempt's row owes the status of its placement, too, as long as it is not accepted. */
  private Uni<Void> publishPlaced(List<AttemptRow> unaccepted) {
    List<String> jobs = unaccepted.stream().map(AttemptRow::job).toList();
    return store
        .transaction(
            "statuses of placements",
            tx -> tx.statuses().firstRequests(jobs).chain(tx.owedStatuses()::owe))
        .invoke(statuses::wake);
  }

  private void follow(Ledger ledger) {
    commits.afterEnds(ledger);
    statuses.wakeIfOwed(ledger);
  }
}
