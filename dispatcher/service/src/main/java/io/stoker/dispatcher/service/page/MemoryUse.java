package io.stoker.dispatcher.service.page;

import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.service.rest.DetailsView;
import io.stoker.dispatcher.service.rest.DetailsView.Attempt;
import io.stoker.dispatcher.service.rest.Explanation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The memory that a running job takes, beside what it was promised.
 *
 * @param host where it runs
 * @param device one of its GPUs; null for the host's own memory
 * @param used bytes, as last measured; of a GPU by all that is on it. null if it was not
 * @param gpuUtilization percent, as last measured; null if it was not
 * @param promised for people
 */
public record MemoryUse(
    String host, String device, Long used, Integer gpuUtilization, String promised) {
  /**
   * Of all that it runs on.
   *
   * @param heartbeats the last that was heard of a host
   */
  static List<MemoryUse> of(
      DetailsView details, Explanation why, Function<String, Optional<Heartbeat>> heartbeats) {
    List<MemoryUse> all = new ArrayList<>();
    for (Attempt attempt : details.attempts()) {
      if (attempt.endedAt() == null && attempt.startedAt() != null) {
        heartbeats
            .apply(attempt.host())
            .ifPresent(beat -> all.addAll(of(details.status().job(), attempt, why, beat)));
      }
    }
    return all;
  }

  private static List<MemoryUse> of(String job, Attempt attempt, Explanation why, Heartbeat beat) {
    List<MemoryUse> all = new ArrayList<>();
    for (String device : attempt.devices()) {
      beat.telemetry().stream()
          .filter(one -> one.id().equals(device))
          .map(one -> onGpu(attempt.host(), one, why))
          .forEach(all::add);
    }
    beat.held().stream()
        .filter(one -> one.job().equals(job) && one.attempt() == attempt.number())
        .filter(one -> one.memory() != null)
        .map(one -> new MemoryUse(attempt.host(), null, one.memory(), null, ofHost(why)))
        .forEach(all::add);
    return all;
  }

  private static MemoryUse onGpu(String host, DeviceTelemetry measured, Explanation why) {
    Long declared = why.memory() == null ? null : why.memory().declared();
    return new MemoryUse(
        host,
        measured.id(),
        measured.memoryUsed(),
        measured.gpuUtilization(),
        declared == null ? "" : ByteSize.text(declared));
  }

  private static String ofHost(Explanation why) {
    Long promised = why.hostMemory() == null ? null : why.hostMemory().promised();
    return promised == null ? "" : ByteSize.text(promised);
  }
}
