package io.stoker.dispatcher.lease;

import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;

/**
 * Closes everything on a host whose lease ran out: by then its watchdog has killed what it ran.
 *
 * <p>The ledger must hold the host's open attempts, their jobs, and what {@link JobEnd} needs.
 */
public final class HostLoss {
  private HostLoss() {}

  /**
   * Closes its attempts.
   *
   * @param costsRetry false where so many hosts went silent at once that the fault is not theirs
   */
  public static HostRow lose(Ledger ledger, HostRow host, boolean costsRetry) {
    String reason = "host " + host.id() + " was lost: no heartbeat within its lease";
    for (AttemptRow attempt : ledger.attempts().all()) {
      if (attempt.host().equals(host.id())) {
        JobRow job = ledger.jobs().get(attempt.job());
        if (attempt.accepted() && costsRetry) {
          JobEnd.lost(ledger, job, host.id(), reason);
        } else {
          JobEnd.returned(ledger, job, reason);
        }
      }
    }
    return host.lost(reason);
  }
}
