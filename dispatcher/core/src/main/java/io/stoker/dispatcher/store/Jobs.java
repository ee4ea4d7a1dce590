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

  /**
   * With their results, however large: whoever reads many sees to it that they are not too many.
   */
  Uni<List<JobRow>> read(Collection<String> ids);

  /** For reading where jobs stand while nobody can end them. */
  Uni<List<JobRow>> lockShared(Collection<String> ids);

  /** For attaching to the jobs that hold or wait for these fingerprints, which must not end now. */
  Uni<Locked> lockByFingerprint(Collection<String> fingerprints, JobLock how);

  /** The jobs that answer these fingerprints' equals, to be changed. */
  Uni<List<JobRow>> lockHolders(Collection<String> fingerprints);

  /** Has a ledger hold those of further fingerprints, too: seldom there are any. */
  default Uni<Void> lockFurther(Ledger ledger, Collection<String> fingerprints, JobLock how) {
    return fingerprints.isEmpty()
        ? Uni.createFrom().voidItem()
        : lockByFingerprint(fingerprints, how)
            .invoke(locked -> locked.into(ledger))
            .replaceWithVoid();
  }
}
