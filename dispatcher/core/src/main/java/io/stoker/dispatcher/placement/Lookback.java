package io.stoker.dispatcher.placement;

import io.stoker.common.request.RunnerType;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Computes how far into a line a pass looks: as far as there may be room for the jobs there. What a
 * pass reads is most of what it costs.
 */
public final class Lookback {
  /** Of each line at least, however many there are. */
  public static final int FEWEST = 2;

  /** Of all lines together, as long as that leaves the least for each. */
  public static final int TOTAL = 4096;

  /** Looked at even where nothing is free: to say why they wait, and to keep room for them. */
  public static final int LEAST = 16;

  /** Jobs that may get into the room of one GPU, as a guess; more are found by the next pass. */
  static final int SHARERS = 8;

  /** Lines of which more is read at once in the next pass. */
  private static final int REMEMBERED = 64;

  private final Map<String, Long> pools = new HashMap<>();
  private final Map<String, Long> runners = new HashMap<>();
  private final Set<String> withRoom = new HashSet<>();
  private long gpus;
  private long sharers;
  private long staged;
  private long slots;
  private boolean hasGpu;

  private Lookback() {}

  /** For the room on these hosts. */
  public static Lookback of(List<Host> hosts) {
    Lookback lookback = new Lookback();
    hosts.forEach(lookback::count);
    return lookback;
  }

  private void count(Host host) {
    hasGpu |= !host.devices().isEmpty();
    if (!host.usable()) {
      return;
    }
    if (host.hasRoom()) {
      withRoom.add(host.id());
    }
    gpus += Math.max(0, host.freeGpus());
    sharers += host.sharing().capacity().has(1, 1L) ? (long) SHARERS * host.devices().size() : 0;
    staged += Math.max(0, host.sharing().staged());
    slots += Math.max(0, host.freeSlots()) + host.ahead().places();
    host.pools().forEach((pool, free) -> add(pools, pool, free));
    host.service().free().forEach((type, free) -> count(type, free));
  }

  /** What is run on the host itself is counted by what it takes there. */
  private void count(String type, int free) {
    if (!RunnerType.runsOnHost(type)) {
      add(runners, type, free);
    }
  }

  private static void add(Map<String, Long> all, String name, int free) {
    all.merge(name, (long) Math.max(0, free), Long::sum);
  }

  /** How many of a line of this shape are looked at, {@code most} at most. */
  public int of(Shape shape, int most) {
    return (int) Math.min(most, Math.max(LEAST, room(shape)));
  }

  /**
   * The same of a line of which this was read, and as many more as there are who failed where there
   * is room: they may leave it to those behind.
   *
   * @param share of them and the others at most
   */
  private int of(Part part, int most, int share) {
    int wanted = of(part.shape(), Math.min(most, share));
    if (room(part.shape()) == 0) {
      return wanted;
    }
    long failedThere =
        part.heads().stream()
            .filter(head -> head.avoid().hosts().stream().anyMatch(withRoom::contains))
            .count();
    long next = wanted + failedThere;
    boolean veryMany = part.asked() >= most && next > part.asked();
    return (int) Math.min(share, veryMany ? Math.max(next, 2L * part.asked()) : next);
  }

  /** How many of a queue's front are looked at, whatever they ask for, {@code most} at most. */
  public int ofFront(int most) {
    LongStream apart = LongStream.concat(stream(pools), stream(runners));
    LongStream devices = LongStream.of(Math.max(gpus, sharers) + staged, slots);
    long room = LongStream.concat(devices, apart).max().orElse(0);
    return (int) Math.min(most, Math.max(LEAST, room));
  }

  private static LongStream stream(Map<String, Long> free) {
    return free.values().stream().mapToLong(Long::longValue);
  }

  private long room(Shape shape) {
    if (shape.pool() != null) {
      return pools.getOrDefault(shape.pool(), 0L);
    }
    if (shape.elsewhere()) {
      return runners.getOrDefault(shape.runner(), 0L);
    }
    if (shape.gpus() == 0 || !hasGpu) {
      return slots;
    }
    return staged + (shape.shared() ? Math.max(sharers, gpus) : gpus);
  }

  /** What each line may have if all have as much. */
  private static int shareOf(LineRead read) {
    return Math.max(FEWEST, TOTAL / Math.max(1, read.lines().size()));
  }

  /** Those lines of which more is to be read, and how much: there may be more, and room for it. */
  public Map<LineKey, Integer> deeper(LineRead read, int most) {
    int share = shareOf(read);
    Map<LineKey, Integer> deeper = new LinkedHashMap<>();
    read.lines()
        .forEach(
            (line, part) -> {
              int wanted = part.mayHaveMore() ? of(part, most, share) : part.asked();
              if (wanted > part.asked()) {
                deeper.put(line, wanted);
              }
            });
    return deeper;
  }

  /** Of which lines as much is to be read at once the next time, most likely. */
  public Map<LineKey, Integer> likely(LineRead read, int most) {
    int share = shareOf(read);
    Map<LineKey, Integer> likely = new LinkedHashMap<>();
    read.lines()
        .forEach(
            (line, part) -> {
              int wanted = part.heads().size() >= LEAST ? of(part, most, share) : LEAST;
              if (wanted > LEAST && likely.size() < REMEMBERED) {
                likely.put(line, wanted);
              }
            });
    return likely;
  }
}
