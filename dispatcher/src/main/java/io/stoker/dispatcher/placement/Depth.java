package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How far into the line of each queue and shape a pass looks: as far as there may be room for. What
 * a pass reads is most of what it costs.
 */
public final class Depth {
  /** Of each queue and shape at least, however many there are. */
  public static final int FEWEST = 2;

  /** Of all queues and shapes together, as long as that leaves the least for each. */
  public static final int TOTAL = 4096;

  /** Looked at even where nothing is free: to say why they wait, and to keep room for them. */
  static final int LEAST = 16;

  /** Jobs that may get into the room of one GPU, as a guess; more are found by the next pass. */
  static final int SHARERS = 8;

  private Depth() {}

  /** For the room on these hosts, {@code most} at most. */
  static int of(List<Host> hosts, int most) {
    long room = hosts.stream().filter(Host::hasRoom).mapToLong(Depth::room).sum();
    return (int) Math.min(most, Math.max(LEAST, room));
  }

  private static long room(Host host) {
    boolean shares = host.sharing().room().has(1, 1L);
    long onGpus = shares ? (long) SHARERS * host.devices().size() : host.freeGpus();
    return onGpus
        + host.freeSlots()
        + host.sharing().staged()
        + host.freeInPools()
        + host.service().slots();
  }

  /** Whether all that was looked at of some queue and shape was placed, so that more may be. */
  static boolean ended(List<Head> line, int depth, Set<String> placed) {
    Map<List<Object>, List<Head>> groups =
        line.stream()
            .collect(
                Collectors.groupingBy(
                    head ->
                        List.of(
                            head.queue(),
                            head.shape(),
                            Objects.requireNonNullElse(head.lane(), ""))));
    int read = Math.min(depth, Math.max(FEWEST, TOTAL / Math.max(1, groups.size())));
    return groups.values().stream()
        .anyMatch(
            group ->
                group.size() >= read && group.stream().map(Head::job).allMatch(placed::contains));
  }
}
