package io.stoker.agent.attempt;

import io.stoker.agent.device.Demand;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.policy.JobView;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** What a placement asks of a host's devices. */
final class Demands {
  private Demands() {}

  /**
   * @param inventory of the host, which knows a device by each of its names
   */
  static Demand of(Place place, Inventory inventory) {
    return place.gpus() == 0
        ? Demand.cpus(place.cpuSlots())
        : new Demand.Gpu(
            place.gpus(),
            place.gpuMemory() == null ? OptionalLong.empty() : OptionalLong.of(place.gpuMemory()),
            place.shared(),
            Optional.ofNullable(place.device()).map(inventory::idOf),
            false,
            place.avoid() == null ? Set.of() : Set.copyOf(place.avoid()));
  }

  /** Whom it is for. */
  static JobView job(Place place) {
    return new JobView(
        place.request(),
        place.job(),
        place.attempt(),
        place.command() == null ? List.of() : place.command(),
        place.gpus(),
        place.gpuMemory() == null ? OptionalLong.empty() : OptionalLong.of(place.gpuMemory()),
        place.shared());
  }
}
