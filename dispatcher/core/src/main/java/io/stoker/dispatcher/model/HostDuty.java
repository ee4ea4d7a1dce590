package io.stoker.dispatcher.model;

import io.stoker.dispatcher.model.HostRow.Drain;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells whether a host is to be given placements.
 *
 * @param cordoned whether new placements are kept off it
 * @param reason why it is cordoned or lost
 * @param drain how it is to be emptied; null if it is not
 * @param losses when its lease ran out by its own fault, ms since 1970, the last ones, in order;
 *     forgotten when people let placements come again
 */
public record HostDuty(boolean cordoned, String reason, Drain drain, List<Long> losses) {
  /** Of a host of which nothing is known. */
  public static final HostDuty FULL = new HostDuty(false, null, null, List.of());

  private static final int LOSSES_KEPT = 16;

  /** Its agent has said hello: it is lost no more, and nothing says that it is dead. */
  public HostDuty started() {
    Drain emptied = drain == null ? null : drain.alive();
    return new HostDuty(cordoned, cordoned ? reason : null, emptied, losses);
  }

  HostDuty lost(String why) {
    return new HostDuty(cordoned, why, drain, losses);
  }

  HostDuty lost(String why, long now) {
    List<Long> all = new ArrayList<>(losses);
    all.add(now);
    List<Long> last = all.subList(Math.max(0, all.size() - LOSSES_KEPT), all.size());
    return new HostDuty(cordoned, why, drain, List.copyOf(last));
  }

  HostDuty cordon(boolean keepOff, String why) {
    return keepOff
        ? new HostDuty(true, kept(why), drain, losses)
        : new HostDuty(false, why, null, List.of());
  }

  HostDuty drained(String why, Drain how) {
    return new HostDuty(true, kept(why), how, losses);
  }

  /** Who asks again without a reason does not mean that there is none any more. */
  private String kept(String why) {
    return why == null && cordoned ? reason : why;
  }
}
