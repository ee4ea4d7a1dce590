package io.stoker.simulation;

import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
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
  static Ledger jobs(SimTransaction tx, Collection<String> jobs, boolean ends) {
    Ledger ledger = new Ledger(tx.now());
    tx.lockJobs(jobs).forEach(ledger::loadJob);
    ledger.attempts().loadAll(tx.attemptsOf(jobs));
    ledger.loadShared(tx.sharedAmong(jobs));
    if (ends) {
      List<String> held =
          ledger.jobs().all().stream()
              .filter(job -> job.role() == Role.HOLDER)
              .map(JobRow::fingerprint)
              .toList();
      tx.lockSuccessors(held).forEach(ledger::loadJob);
      ledger.loadShared(tx.sharedAmong(ledger.jobs().all().stream().map(JobRow::id).toList()));
      ledger.loadWithDependents(tx.dependedOnAmong(firstRequests(ledger)));
    }
    tx.readRequests(firstRequests(ledger)).stream()
        .filter(row -> ledger.requests().find(row.id()).isEmpty())
        .forEach(ledger.requests()::load);
    return ledger;
  }

  /** Jobs in line, which have no open attempts; large requests are read when they are sent. */
  static void queued(SimTransaction tx, Ledger ledger, Collection<String> jobs) {
    tx.lockJobs(jobs).forEach(ledger::loadJob);
    ledger.loadShared(tx.sharedAmong(jobs));
    List<String> first = firstRequests(ledger);
    ledger.loadWithDependents(tx.dependedOnAmong(first));
    tx.readRequests(first).forEach(row -> ledger.requests().load(small(row)));
  }

  private static RequestRow small(RequestRow row) {
    return row.spec().length() <= PLAIN
        ? row
        : new RequestRow(
            row.id(),
            row.seq(),
            row.version(),
            null,
            null,
            row.queue(),
            row.group(),
            row.fingerprint(),
            row.job(),
            row.attached(),
            row.cached(),
            row.missing(),
            row.ended(),
            row.code(),
            row.reason(),
            row.stopRequested(),
            row.queuedAt(),
            row.sentBy(),
            true);
  }

  /** The jobs of these meanings, as JobTable. */
  static void equals(SimTransaction tx, Ledger ledger, Collection<Meaning> meanings) {
    tx.lockByFingerprint(Meaning.lookups(meanings), JobLock.SHARED).forEach(ledger::loadJob);
    tx.lockByFingerprint(Meaning.further(ledger, meanings), JobLock.SHARED)
        .forEach(ledger::loadJob);
  }

  private static List<String> firstRequests(Ledger ledger) {
    return ledger.jobs().all().stream().map(JobRow::firstRequest).distinct().toList();
  }

  /** As the store's RequestLoader. */
  static Ledger requests(SimTransaction tx, Collection<String> requests) {
    List<String> jobs =
        tx.readRequests(requests).stream()
            .map(RequestRow::job)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    Ledger ledger = jobs(tx, jobs, true);
    ledger.requests().loadAll(tx.lockSharing(jobs));
    ledger.requests().loadAll(tx.lockRequests(requests));
    Set<String> held = new HashSet<>(jobs);
    for (String id : requests) {
      ledger
          .requests()
          .find(id)
          .map(RequestRow::job)
          .filter(job -> !held.contains(job))
          .ifPresent(
              job -> {
                throw new Tables.ConcurrentInsert();
              });
    }
    return ledger;
  }
}
