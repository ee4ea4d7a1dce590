package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.model.GroupLimit;
import io.stoker.dispatcher.model.Shape;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The input of a placement pass.
 *
 * @param hosts all hosts of the fleet
 * @param heads the first jobs in line of every queue and shape
 * @param standings where queues stand; one that is not there has used nothing and has the defaults
 * @param reservations what the last pass kept room for, in order
 * @param limits how many jobs of groups may be placed, where there is a limit
 * @param now ms since 1970
 * @param ties who is taken of equal hosts
 * @param running how long jobs are expected to run, ms, by job; one that is not there is not known
 */
public record Snapshot(
    List<Host> hosts,
    List<QueueHead> heads,
    Map<String, Standing> standings,
    List<Reservation> reservations,
    Map<String, GroupLimit> limits,
    long now,
    TieBreaker ties,
    Map<String, Long> running) {
  /** Hosts and jobs, of queues that have used nothing. */
  public Snapshot(List<Host> hosts, List<QueueHead> heads) {
    this(hosts, heads, Map.of(), List.of(), Map.of(), 0, TieBreaker.BY_NAME, Map.of());
  }

  /** The same, with what queues have used and what was kept. */
  public Snapshot shared(Map<String, Standing> byQueue, List<Reservation> kept, long at) {
    return new Snapshot(hosts, heads, byQueue, kept, limits, at, ties, running);
  }

  /** The same, with another choice among equal hosts. */
  public Snapshot choosing(TieBreaker other) {
    return new Snapshot(hosts, heads, standings, reservations, limits, now, other, running);
  }

  /** The same line before other hosts. */
  public Snapshot of(List<Host> others) {
    return new Snapshot(others, heads, standings, reservations, limits, now, ties, running);
  }

  /** The same hosts before another line, for which nothing is kept. */
  Snapshot with(List<QueueHead> line) {
    return new Snapshot(hosts, line, standings, List.of(), limits, now, ties, running);
  }

  /** The same, with what groups may still have placed. */
  public Snapshot limited(Map<String, GroupLimit> byGroup) {
    return new Snapshot(hosts, heads, standings, reservations, byGroup, now, ties, running);
  }

  /** The same, with how long its jobs are expected to run. */
  public Snapshot running(Map<String, Long> expectedMs) {
    return new Snapshot(hosts, heads, standings, reservations, limits, now, ties, expectedMs);
  }

  /** How long a job is expected to run, ms; null if that is not known. */
  Long expectedMs(String job) {
    return running.get(job);
  }

  /** What a job of its line asks. */
  public Optional<Shape> asked(String job) {
    return heads.stream().filter(head -> head.job().equals(job)).map(QueueHead::shape).findFirst();
  }

  Standing standing(String queue) {
    Standing known = standings.get(queue);
    return known == null ? Standing.fresh(QueueSettings.plain(queue)) : known;
  }

  /**
   * A host and what is free on it.
   *
   * @param why it is not usable; null if it is up, heard of within its lease, and not cordoned
   * @param freeGpus GPUs that no open attempt and no reservation takes
   * @param freeSlots CPU slots likewise
   * @param openPlacements attempts it has not accepted yet
   * @param labels for {@code require} and {@code prefer}
   * @param sharing what is free on its GPUs for jobs that share them
   * @param mostPlacements unaccepted placements that it may have, those for its pools not counted
   * @param pools places that are free in its pools of workers, by name
   * @param service what it runs, and for whom
   * @param memory what is left of its memory
   * @param ahead what it may be given behind its CPU slots
   */
  public record Host(
      String id,
      String why,
      int freeGpus,
      int freeSlots,
      int cpuSlots,
      int openPlacements,
      Map<String, String> labels,
      Sharing sharing,
      int mostPlacements,
      Map<String, Integer> pools,
      Service service,
      MemoryCapacity memory,
      LookAheadCapacity ahead) {
    /** Unaccepted placements that a host may have: more would only wait in its topic. */
    static final int MOST_PLACEMENTS = 64;

    public boolean usable() {
      return why == null;
    }

    boolean onTrialNow() {
      return mostPlacements < MOST_PLACEMENTS;
    }

    /**
     * Whether it may be given no more before it has accepted what it was given. A pool has a bound
     * of its own; only a host on trial is given one job at a time, for whatever.
     */
    boolean behind(int placements, boolean forPool) {
      return placements >= mostPlacements && (!forPool || onTrialNow());
    }

    public Host unusable(String because) {
      return with(because, mostPlacements, ahead);
    }

    /** The same, to which one job is given. */
    Host onTrial() {
      return with(why, 1, ahead);
    }

    /** The same, which may be given this behind its CPU slots. */
    Host ahead(LookAheadCapacity capacity) {
      return with(why, mostPlacements, capacity);
    }

    private Host with(String because, int most, LookAheadCapacity behind) {
      return new Host(
          id,
          because,
          freeGpus,
          freeSlots,
          cpuSlots,
          openPlacements,
          labels,
          sharing,
          most,
          pools,
          service,
          memory,
          behind);
    }

    /** Whether anything at all may be placed on it. */
    public boolean hasRoom() {
      return usable()
          && (freeGpus > 0
              || freeSlots > 0
              || ahead.places() > 0
              || sharing.staged() > 0
              || sharing.capacity().has(1, 1L)
              || pools.values().stream().anyMatch(free -> free > 0)
              || service.hasSlots());
    }

    /** Its GPUs. */
    public List<DeviceInfo> devices() {
      return sharing.devices();
    }

    /** Its GPUs by id. */
    public Set<String> gpus() {
      return devices().stream().map(DeviceInfo::id).collect(Collectors.toSet());
    }

    /** Whether it has a device of this id or, for {@code cuda:N}, an N-th one. */
    public boolean offers(String device) {
      return gpus().contains(device)
          || IntStream.range(0, devices().size()).anyMatch(n -> device.equals("cuda:" + n));
    }
  }
}
