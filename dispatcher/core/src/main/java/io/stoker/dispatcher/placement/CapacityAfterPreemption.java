package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.dispatcher.host.Settling;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The room that hosts will have once all attempts that were told to end, and the jobs that may be
 * ended besides, are gone. A job that shares a GPU gives back the memory that it was promised: how
 * much each job really uses is not known.
 */
public final class CapacityAfterPreemption {
  private final Map<String, HostRow> rows;
  private final Map<String, List<AttemptRow>> open;
  private final Optional<String> waits;
  private final Predicate<String> alive;
  private final Function<String, Optional<Heartbeat>> heartbeat;

  /**
   * All hosts.
   *
   * @param alive whether a host was heard of within its lease
   * @param heartbeat the last heartbeat of a host
   */
  public CapacityAfterPreemption(
      List<HostRow> rows,
      Collection<AttemptRow> open,
      Predicate<String> alive,
      Function<String, Optional<Heartbeat>> heartbeat) {
    this.rows = rows.stream().collect(Collectors.toMap(HostRow::id, row -> row));
    waits = Settling.waits(rows);
    this.open = open.stream().collect(Collectors.groupingBy(AttemptRow::host));
    this.alive = alive;
    this.heartbeat = heartbeat;
  }

  /** The host without these jobs. */
  Host host(String id, Set<String> gone) {
    Map<Boolean, List<AttemptRow>> leaving =
        open.getOrDefault(id, List.of()).stream()
            .collect(
                Collectors.partitioningBy(
                    row -> row.cancelReason() != null || gone.contains(row.job())));
    Optional<Heartbeat> beat = heartbeat.apply(id);
    Host host =
        FleetView.host(
            rows.get(id),
            leaving.get(false),
            leaving.get(true),
            alive.test(id),
            beat,
            without(beat.map(Heartbeat::telemetry).orElse(List.of()), leaving.get(true)));
    return FleetView.waiting(host, waits);
  }

  private static List<DeviceTelemetry> without(
      List<DeviceTelemetry> reported, List<AttemptRow> leaving) {
    Map<String, Long> back = new HashMap<>();
    for (AttemptRow row : leaving) {
      Long shared = row.takes().gpuMemory();
      long bytes = shared == null ? Long.MAX_VALUE : shared;
      row.devices().forEach(device -> back.merge(device, bytes, CapacityAfterPreemption::sum));
    }
    List<DeviceTelemetry> left = new ArrayList<>();
    for (DeviceTelemetry one : reported) {
      Long given = back.get(one.id());
      left.add(given == null || one.memoryUsed() == null ? one : less(one, given));
    }
    return left;
  }

  /** Who had a GPU alone gives back all of it. */
  private static long sum(long one, long other) {
    return Long.MAX_VALUE - one < other ? Long.MAX_VALUE : one + other;
  }

  private static DeviceTelemetry less(DeviceTelemetry one, long bytes) {
    return new DeviceTelemetry(
        one.id(),
        Math.max(0, one.memoryUsed() - bytes),
        one.gpuUtilization(),
        one.temperature(),
        one.power());
  }
}
