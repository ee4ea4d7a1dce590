package io.stoker.dispatcher.host;

import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.attempt.AttemptEnd;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.dedup.LongerTimeout;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemberEnd;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Optional;

/**
 * Compares what an agent says it holds with what is open on its host. An accepted attempt that the
 * inventory does not know is lost only if a heartbeat proves it: the inventory itself may be older
 * than the acceptance, or be there twice. What an earlier agent left behind this one knows nothing
 * of.
 *
 * <p>The unit of work must hold the host's open attempts, their jobs, and what {@link JobEnd}
 * needs.
 */
public final class InventoryCheck {
  private InventoryCheck() {}

  /**
   * Applies an inventory.
   *
   * @param last the host's last heartbeat
   */
  public static HostRow apply(
      UnitOfWork unit, HostRow host, Inventory inventory, Optional<Heartbeat> last) {
    for (AttemptRow attempt : unit.attempts().all()) {
      boolean lost =
          attempt.host().equals(host.id())
              && attempt.accepted()
              && !host.left(attempt)
              && !Overdue.holds(inventory.held(), attempt)
              && last.filter(beat -> Overdue.notHeld(attempt, beat, host.epoch())).isPresent();
      if (lost) {
        JobRow job = unit.jobs().get(attempt.job());
        String reason = "host " + host.id() + " does not know the attempt any more";
        MemberEnd end = MemberEnd.failed(FailureCategory.HOST_LOST, reason);
        AttemptEnd.over(unit, attempt, job, end, Backoff.NONE);
      } else if (attempt.host().equals(host.id())) {
        LongerTimeout.tell(unit, unit.jobs().get(attempt.job()));
      }
    }
    Registration.release(unit, host.id(), inventory.held());
    return host.with(inventory.resources());
  }
}
