package io.stoker.dispatcher.control;

import io.stoker.common.state.JobState;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Drops remembered results. A succeeded job stops answering its equals; those that it answered keep
 * their statuses. What is live is shared as before: it is no remembered result yet.
 *
 * <p>The unit of work must hold the jobs that have the fingerprints, as far as some do.
 */
public final class Forgetting {
  private Forgetting() {}

  /** Drops what is remembered of a fingerprint. Returns whether there was anything. */
  public static boolean forget(UnitOfWork unit, String fingerprint) {
    return forget(unit, fingerprint, job -> true);
  }

  /**
   * Drops what would answer a request.
   *
   * @param means what it means
   * @return whether there was anything
   */
  public static boolean forget(UnitOfWork unit, Meaning means) {
    boolean any = false;
    for (String fingerprint : means.all()) {
      any |= forget(unit, fingerprint, means::answeredBy);
    }
    return any;
  }

  private static boolean forget(UnitOfWork unit, String fingerprint, Predicate<JobRow> which) {
    Optional<JobRow> forgotten =
        unit.holder(fingerprint)
            .filter(job -> job.state() == JobState.SUCCEEDED)
            .filter(which)
            .map(job -> job.change().role(Role.NONE).build());
    forgotten.ifPresent(unit::putJob);
    return forgotten.isPresent();
  }
}
