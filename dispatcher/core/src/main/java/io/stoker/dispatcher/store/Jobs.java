package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
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
    /** A unit of work as of that time which holds them. */
    public UnitOfWork unit() {
      UnitOfWork unit = new UnitOfWork(now);
      into(unit);
      return unit;
    }

    /** Has a unit of work hold them. */
    public void into(UnitOfWork unit) {
      jobs.forEach(how == JobLock.CHANGES ? unit::loadJob : unit::loadHeldJob);
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

  /** Has a unit of work hold those of further fingerprints, too: seldom there are any. */
  default Uni<Void> lockFurther(UnitOfWork unit, Collection<String> fingerprints, JobLock how) {
    return fingerprints.isEmpty()
        ? Uni.createFrom().voidItem()
        : lockByFingerprint(fingerprints, how)
            .invoke(locked -> locked.into(unit))
            .replaceWithVoid();
  }
}
