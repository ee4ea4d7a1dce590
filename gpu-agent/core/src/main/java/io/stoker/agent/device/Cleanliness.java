package io.stoker.agent.device;

import io.stoker.agent.gpu.ComputeProcess;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Tells whether devices are free of processes that ended jobs left on them. What no listed process
 * explains of a device's used memory was, at its least, the driver's own; more than that belongs to
 * the dead.
 */
public final class Cleanliness {
  /** What the driver may take more, of a small and of a large device. */
  private static final long TOLERANCE = 64L << 20;

  private static final long TOLERATED_PART = 100;

  private final Map<String, Long> least = new HashMap<>();

  /** What is left on a device. */
  public enum Left {
    NOTHING,
    /** Processes are listed that are not there: gone, or of another pid namespace. */
    PROCESSES,
    /** Memory that nobody has. */
    MEMORY
  }

  /**
   * Looks at a device; to be done regularly, since what it shows at its best is the measure.
   *
   * @param processes on it; empty if the driver cannot tell
   * @param alive whether a pid exists
   */
  public Left look(
      String uuid,
      long total,
      long used,
      Optional<List<ComputeProcess>> processes,
      LongPredicate alive) {
    List<ComputeProcess> listed = processes.orElse(List.of());
    boolean told = listed.stream().allMatch(process -> process.usedMemory().isPresent());
    if (told) {
      long explained = listed.stream().mapToLong(process -> process.usedMemory().getAsLong()).sum();
      long unexplained = Math.max(0, used - explained);
      long best = least.merge(uuid, unexplained, Math::min);
      if (unexplained > best + Math.max(TOLERANCE, total / TOLERATED_PART)) {
        return Left.MEMORY;
      }
    }
    return listed.stream().allMatch(process -> alive.test(process.pid()))
        ? Left.NOTHING
        : Left.PROCESSES;
  }
}
