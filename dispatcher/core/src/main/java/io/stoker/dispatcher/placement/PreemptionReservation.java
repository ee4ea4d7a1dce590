package io.stoker.dispatcher.placement;

import java.util.List;
import java.util.Map;

/**
 * Room that is made for a job in line by ending others. It is kept in the database, so that whoever
 * schedules next keeps it, too.
 *
 * @param hosts on which it is made, as many as the job takes at once
 * @param gpus what is made free on each of them
 * @param cpuSlots likewise
 * @param since when the others were told to end, ms since 1970
 * @param freeSince when the last of them was seen to be over, ms since 1970; null before
 * @param hostMemory bytes of memory that are kept on each of the hosts; null if nothing is known of
 *     the job
 */
public record PreemptionReservation(
    String job,
    String queue,
    List<String> hosts,
    int gpus,
    int cpuSlots,
    long since,
    Long freeSince,
    Long hostMemory) {
  Need need() {
    Need devices = new Need(gpus, cpuSlots);
    return hostMemory == null ? devices : devices.with(new MemoryNeed(hostMemory, false));
  }

  /**
   * As a pass sees it.
   *
   * @param toCome how many devices, by host, those have who end for it and are not over yet
   */
  Reservation reservation(Map<String, Integer> toCome) {
    return new Reservation(job, queue, hosts, since, need(), toCome);
  }

  PreemptionReservation freeSince(Long now) {
    return new PreemptionReservation(job, queue, hosts, gpus, cpuSlots, since, now, hostMemory);
  }
}
