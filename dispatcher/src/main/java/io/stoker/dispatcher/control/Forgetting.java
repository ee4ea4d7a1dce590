package io.stoker.dispatcher.control;

import io.stoker.common.state.JobState;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;

/**
 * Drops remembered results. A succeeded job stops answering its equals; those that it answered keep
 * their statuses. What is live is shared as before: it is no remembered result yet.
 *
 * <p>The ledger must hold the job that has the fingerprint, if one does.
 */
public final class Forgetting {
  private Forgetting() {}

  /**
   * Drops what is remembered of a meaning.
   *
   * @return whether there was anything
   */
  public static boolean forget(Ledger ledger, String fingerprint) {
    return ledger
        .holder(fingerprint)
        .filter(job -> job.state() == JobState.SUCCEEDED)
        .map(job -> job.change().role(Role.NONE).build())
        .map(
            forgotten -> {
              ledger.putJob(forgotten);
              return true;
            })
        .orElse(false);
  }
}
