package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Takes.OnPool;
import java.util.List;

/**
 * A job that runs, or is being ended.
 *
 * @param request which started it
 * @param preemptible whether its room may be given to others
 * @param preemptions how often it was
 * @param members what is open of it, one row a host
 */
public record Running(
    String job,
    String request,
    int priority,
    boolean preemptible,
    int preemptions,
    List<AttemptRow> members) {
  /** So often the time doubles that it may run in any case. */
  private static final int DOUBLES = 20;

  String queue() {
    return members.getFirst().queue();
  }

  /** GPUs, or CPU slots, that it has. */
  int amount(boolean onGpus) {
    return members.stream().mapToInt(row -> row.takes().devices(onGpus)).sum();
  }

  /** Devices × ms that are done again if it is ended. */
  long lost(long now) {
    return members.stream()
        .mapToLong(row -> row.takes().devices() * Math.max(0, now - row.placedAt()))
        .sum();
  }

  boolean on(String host) {
    return members.stream().anyMatch(row -> row.host().equals(host));
  }

  /**
   * Whether all of it has run for its time. That doubles each time it makes room: so it gets done
   * however many want its room.
   */
  boolean hasHadItsTime(long minRunMs, long now) {
    long time = minRunMs << Math.min(preemptions, DOUBLES);
    return members.stream().allMatch(row -> mayBeLookedAt(row, time, now));
  }

  /** Whether it may be that its job may be ended: it runs so long, and was not told to end. */
  public static boolean mayBeLookedAt(AttemptRow row, long minRunMs, long now) {
    return row.state() == AttemptRow.State.RUNNING
        && row.runningSince() != null
        && !(row.takes() instanceof OnPool)
        && row.cancelReason() == null
        && now - row.runningSince() >= minRunMs;
  }
}
