package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Takes.OnHost;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The free capacity of a host's memory. Neither promises nor what jobs have taken may exceed what
 * it offers; and what can still be had there, as last reported, is not promised twice: of each job
 * as much of its promise is put aside as it has not taken yet.
 */
public final class MemoryCapacity {
  /** Of a host that does not tell: nothing keeps jobs out. */
  static final MemoryCapacity UNKNOWN = new MemoryCapacity(null, Long.MAX_VALUE, 0, 0, false);

  private final Long total;
  private long left;
  private long promised;
  private int jobs;
  private boolean alone;

  private MemoryCapacity(Long total, long left, long promised, int jobs, boolean alone) {
    this.total = total;
    this.left = left;
    this.promised = promised;
    this.jobs = jobs;
    this.alone = alone;
  }

  /**
   * The room on a host.
   *
   * @param total bytes that it offers, null if it does not tell
   * @param open attempts on it
   * @param leaving attempts that will be gone, and give back what they have
   */
  static MemoryCapacity of(
      Long total,
      Optional<Heartbeat> heartbeat,
      Collection<AttemptRow> open,
      Collection<AttemptRow> leaving) {
    Map<AttemptRow.Key, Long> taken = taken(heartbeat);
    long promised = 0;
    long counted = 0;
    long toCome = 0;
    int jobs = 0;
    boolean alone = false;
    for (AttemptRow attempt : open) {
      if (attempt.takes() instanceof OnHost process) {
        long bytes = process.hostMemory() == null ? 0 : process.hostMemory();
        long has = taken.getOrDefault(key(attempt), 0L);
        promised += bytes;
        counted += Math.max(bytes, has);
        toCome += Math.max(0, bytes - has);
        jobs++;
        alone |= total != null && bytes >= total;
      }
    }
    if (total == null) {
      return new MemoryCapacity(null, Long.MAX_VALUE, promised, jobs, false);
    }
    long left = total - counted;
    Long free = heartbeat.map(Heartbeat::memoryFree).orElse(null);
    if (free != null) {
      long back = leaving.stream().mapToLong(row -> taken.getOrDefault(key(row), 0L)).sum();
      left = Math.min(left, free + back - toCome);
    }
    return new MemoryCapacity(total, left, promised, jobs, alone);
  }

  private static Map<AttemptRow.Key, Long> taken(Optional<Heartbeat> heartbeat) {
    List<HeldAttempt> held = heartbeat.map(Heartbeat::held).orElse(List.of());
    Map<AttemptRow.Key, Long> taken = new HashMap<>();
    for (HeldAttempt one : held == null ? List.<HeldAttempt>of() : held) {
      if (one.memory() != null) {
        taken.put(new AttemptRow.Key(one.job(), one.attempt()), one.memory());
      }
    }
    return taken;
  }

  /** A host has one member of a gang at most. */
  private static AttemptRow.Key key(AttemptRow attempt) {
    return new AttemptRow.Key(attempt.job(), attempt.number());
  }

  MemoryCapacity copy() {
    return new MemoryCapacity(total, left, promised, jobs, alone);
  }

  /** Bytes that it offers; nothing if it does not tell. */
  Optional<Long> total() {
    return Optional.ofNullable(total);
  }

  /** Bytes that its jobs were promised. */
  public long promised() {
    return promised;
  }

  /** Bytes that may be promised to jobs to come. */
  long left() {
    return Math.max(0, left);
  }

  /** Whether it could hold that with nothing else on it. */
  boolean couldHold(MemoryNeed need) {
    return need == null || total == null || need.equals(MemoryNeed.ALL) || need.bytes() <= total;
  }

  /** What of its memory such a job gets. */
  private long share(MemoryNeed need) {
    return Math.min(need.bytes(), total);
  }

  /**
   * Whether a job may have that.
   *
   * @param need null if nothing is known of it
   * @param kept bytes that others are to have
   */
  boolean has(MemoryNeed need, long kept) {
    if (total == null) {
      return true;
    }
    if (need == null) {
      return !alone && kept < total;
    }
    // Where nothing else is: else what is expected, or all there is, might be had nowhere ever.
    if (jobs == 0 && (!need.firm() || share(need) == total)) {
      return kept == 0;
    }
    return !alone && share(need) < total && left - kept >= share(need);
  }

  /** Bytes that are to be kept for such a job. */
  long toKeep(MemoryNeed need) {
    return need == null || total == null ? 0 : share(need);
  }

  /** Gives it that. Returns what it is promised, null if nothing is known of it. */
  Long take(MemoryNeed need) {
    jobs++;
    if (need == null || (total == null && need.equals(MemoryNeed.ALL))) {
      return null;
    }
    long bytes = total == null ? need.bytes() : share(need);
    promised += bytes;
    if (total != null) {
      left -= bytes;
      alone |= bytes >= total;
    }
    return bytes;
  }

  /** Why it has not that now, for people. */
  String lacks(MemoryNeed need) {
    if (alone) {
      return "has given all of its memory to one job";
    }
    if (need == null) {
      return "keeps all of its memory";
    }
    if (share(need) == total) {
      return "would give it all memory that it has, %s, and has %d job(s)"
          .formatted(ByteSize.text(total), jobs);
    }
    return "has %s of memory left of the %s that it would be promised: %s of %s are promised, or taken"
        .formatted(
            ByteSize.text(left()),
            ByteSize.text(share(need)),
            ByteSize.text(Math.max(0, total - left())),
            ByteSize.text(total));
  }
}
