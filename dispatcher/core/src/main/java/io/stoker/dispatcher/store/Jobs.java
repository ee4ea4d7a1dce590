package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.Collection;
import java.util.List;

/** The table of jobs. */
public interface Jobs {
  /**
   * Locked rows, and when that was, from one statement.
   *
   * @param now the store's clock
   */
  record Locked(long now, List<JobRow> jobs, JobLock how) {
    /** A ledger as of that time which holds them. */
    public Ledger ledger() {
      Ledger ledger = new Ledger(now);
      into(ledger);
      return ledger;
    }

    /** Has a ledger hold them. */
    public void into(Ledger ledger) {
      jobs.forEach(how == JobLock.CHANGES ? ledger::loadJob : ledger::loadHeldJob);
    }
  }

  /** For attaching to the jobs that hold or wait for these fingerprints, which must not end now. */
  Uni<Locked> lockByFingerprint(Collection<String> fingerprints, JobLock how);

  /** Has a ledger hold those of further fingerprints, too: seldom there are any. */
  default Uni<Void> lockFurther(Ledger ledger, Collection<String> fingerprints, JobLock how) {
    return fingerprints.isEmpty()
        ? Uni.createFrom().voidItem()
        : lockByFingerprint(fingerprints, how)
            .invoke(locked -> locked.into(ledger))
            .replaceWithVoid();
  }
}
