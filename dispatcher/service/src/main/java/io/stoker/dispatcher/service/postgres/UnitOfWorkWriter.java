package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.GroupTally;
import io.stoker.dispatcher.model.IdentityMap.Change;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.runtime.Faults;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Writes what a transaction changed, in one round trip whatever the number of rows and tables. */
public final class UnitOfWorkWriter {
  private UnitOfWorkWriter() {}

  /** What a row's insertion violates where another replica inserted it first. */
  private static final List<String> TAKEN =
      List.of("\"job_pkey\"", "\"job_fingerprint\"", "\"request_pkey\"");

  /**
   * Writes the difference between what the unit of work loaded and what it holds.
   *
   * @return the transaction, if anything was to be written; fails with {@link ConcurrentInsert} if
   *     another replica inserted one of the rows first: the transaction is then to be done again,
   *     and finds them; with {@link LockTooWeak}, before anything is written, if it would change
   *     jobs that it holds together with others
   */
  public static Uni<Optional<Writer>> write(StatelessSession session, UnitOfWork unit) {
    return Uni.createFrom().deferred(() -> send(session, unit));
  }

  private static Uni<Optional<Writer>> send(StatelessSession session, UnitOfWork unit) {
    List<Change<JobRow>> changed = unit.jobs().changes();
    List<String> heldByOthersToo =
        changed.stream().map(job -> job.after().id()).filter(unit::holdsWithOthers).toList();
    if (!heldByOthersToo.isEmpty()) {
      return Uni.createFrom().failure(new LockTooWeak(heldByOthersToo));
    }
    Set<String> taken = taken(changed);
    Map<Boolean, List<Change<JobRow>>> handedOver =
        changed.stream().collect(Collectors.partitioningBy(job -> handedOver(job.after(), taken)));
    List<Write> writes =
        List.of(
            JobTable.insert(unit.jobs().inserted()),
            RequestTable.insert(unit.requests().inserted()),
            JobTable.change(handedOver.get(false)),
            RequestTable.change(unit.requests().changes()),
            ReadyTable.delete(List.copyOf(unit.takenFromReady())),
            ReadyTable.insert(unit.madeReady()),
            BackoffTable.delete(List.copyOf(unit.backoffsEnded())),
            BackoffTable.insert(unit.backedOff()),
            AttemptTable.delete(unit.attempts().removed()),
            AttemptTable.change(unit.attempts().changes()),
            AttemptTable.insert(unit.attempts().inserted()),
            DependencyTable.delete(unit.dependencies().removed()),
            DependencyTable.insert(unit.dependencies().inserted()),
            InputTable.insert(unit.inputs()),
            FanOutTable.delete(unit.fanOuts().removed()),
            FanOutTable.update(unit.fanOuts().updated()),
            FanOutTable.insert(unit.fanOuts().inserted()),
            TimerTable.delete(List.copyOf(unit.stoppedTimers())),
            TimerTable.insert(unit.startedTimers()),
            DueStatusTable.mark(unit.due()),
            UsageTable.insert(unit.usage()),
            PastAttemptTable.insert(unit.past()),
            IntermediateTable.insert(unit.intermediates()),
            MemoryTable.insert(unit.learned()),
            LaunchFailureTable.insert(unit.launchFailures()),
            GroupBudgetTable.update(unit.budgets().updated()),
            GroupTable.insert(GroupTally.of(unit)));
    return Uni.combine()
        .all()
        .unis(
            // What a statement writes in line it writes as it sees the plans when it begins.
            Locks.enter(session, groups(unit.madeReady())),
            Write.done(session, List.of(JobTable.change(handedOver.get(true)))),
            Write.done(session, writes))
        // Who takes a role over is among the others.
        .combinedWith((entered, handed, all) -> Optional.ofNullable(all.by()))
        .onFailure(UnitOfWorkWriter::isTaken)
        .transform(ConcurrentInsert::new);
  }

  /** Whose plan may keep some of these from being placed. */
  private static Set<String> groups(List<ReadyRow> inLine) {
    return inLine.stream()
        .map(ReadyRow::group)
        .filter(group -> group != null && !group.isEmpty())
        .collect(Collectors.toSet());
  }

  /** The fingerprints that somebody holds, or waits for, after the change. */
  private static Set<String> taken(List<Change<JobRow>> changed) {
    return changed.stream()
        .map(Change::after)
        .filter(job -> job.role() != Role.NONE)
        .map(JobRow::fingerprint)
        .collect(Collectors.toSet());
  }

  /**
   * A holder whose role somebody else takes over: it is written first, for the index on fingerprint
   * and role is unique at every statement.
   */
  private static boolean handedOver(JobRow job, Set<String> taken) {
    return job.role() == Role.NONE && taken.contains(job.fingerprint());
  }

  private static boolean isTaken(Throwable error) {
    String said = Fault.sentence(error);
    return Faults.violatesConstraint(error) && TAKEN.stream().anyMatch(said::contains);
  }
}
