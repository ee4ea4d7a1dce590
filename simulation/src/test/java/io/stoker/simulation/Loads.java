package io.stoker.simulation;

import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.JobLock;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What the store's loaders load, in their order. */
final class Loads {
  /** Bytes of a request that is read with its row. */
  private static final int PLAIN = 1_000;

  private Loads() {}

  /** As the store's JobLoader. */
  static UnitOfWork jobs(SimTransaction tx, Collection<String> jobs, boolean ends) {
    UnitOfWork unit = new UnitOfWork(tx.now());
    tx.lockJobs(jobs).forEach(unit::loadJob);
    unit.attempts().loadAll(tx.attemptsOf(jobs));
    unit.loadShared(tx.sharedAmong(jobs));
    if (ends) {
      List<String> held =
          unit.jobs().all().stream()
              .filter(job -> job.role() == Role.HOLDER)
              .map(JobRow::fingerprint)
              .toList();
      tx.lockSuccessors(held).forEach(unit::loadJob);
      unit.loadShared(tx.sharedAmong(unit.jobs().all().stream().map(JobRow::id).toList()));
      unit.loadWithDependents(tx.dependedOnAmong(firstRequests(unit)));
    }
    tx.readRequests(firstRequests(unit)).stream()
        .filter(row -> unit.requests().find(row.id()).isEmpty())
        .forEach(unit.requests()::load);
    return unit;
  }

  /** Jobs in line, which have no open attempts; large requests are read when they are sent. */
  static void queued(SimTransaction tx, UnitOfWork unit, Collection<String> jobs) {
    tx.lockJobs(jobs).forEach(unit::loadJob);
    unit.loadShared(tx.sharedAmong(jobs));
    List<String> first = firstRequests(unit);
    unit.loadWithDependents(tx.dependedOnAmong(first));
    tx.readRequests(first).forEach(row -> unit.requests().load(small(row)));
  }

  private static RequestRow small(RequestRow row) {
    return row.spec().length() <= PLAIN
        ? row
        : new RequestRow(
            row.id(),
            row.version(),
            new RequestRow.Posted(
                row.seq(), null, null, true, row.queue(), row.group(), row.sentBy()),
            row.bound(),
            row.missing(),
            row.end(),
            row.reason(),
            row.stopRequested());
  }

  /** The jobs of these meanings, as JobTable. */
  static void equals(SimTransaction tx, UnitOfWork unit, Collection<Meaning> meanings) {
    tx.lockByFingerprint(Meaning.lookups(meanings), JobLock.SHARED).forEach(unit::loadJob);
    tx.lockByFingerprint(Meaning.further(unit, meanings), JobLock.SHARED).forEach(unit::loadJob);
  }

  private static List<String> firstRequests(UnitOfWork unit) {
    return unit.jobs().all().stream().map(job -> job.asked().firstRequest()).distinct().toList();
  }

  /** As the store's RequestLoader. */
  static UnitOfWork requests(SimTransaction tx, Collection<String> requests) {
    List<String> jobs =
        tx.readRequests(requests).stream()
            .map(RequestRow::job)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    UnitOfWork unit = jobs(tx, jobs, true);
    if (!tx.has(Defect.CANCEL_FOR_ALL)) {
      unit.requests().loadAll(tx.lockSharing(jobs));
    }
    unit.requests().loadAll(tx.lockRequests(requests));
    Set<String> held = new HashSet<>(jobs);
    for (String id : requests) {
      unit.requests()
          .find(id)
          .map(RequestRow::job)
          .filter(job -> !held.contains(job))
          .ifPresent(
              job -> {
                throw new Tables.ConcurrentInsert();
              });
    }
    return unit;
  }
}
