package io.stoker.agent.attempt;

import io.stoker.agent.device.Demand;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.policy.JobView;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.message.Workload.Share;
import java.util.Set;

/** Reads from a placement what it asks of a host's devices. */
final class Demands {
  private Demands() {}

  /**
   * @param inventory of the host, which knows a device by each of its names
   */
  static Demand of(Place place, Inventory inventory) {
    Share share = place.workload().share();
    Gpus gpus = share.gpus();
    return gpus.count() == 0
        ? Demand.cpus(share.cpuSlots())
        : new Demand.Gpu(
            gpus.count(),
            gpus.memory(),
            gpus.shared(),
            gpus.device().map(inventory::idOf),
            false,
            Set.copyOf(share.avoid()));
  }

  /** Whom it is for. */
  static JobView job(Place place) {
    Gpus gpus = place.workload().share().gpus();
    return new JobView(
        place.request(),
        place.job(),
        place.attempt(),
        place.program().command(),
        gpus.count(),
        gpus.memory(),
        gpus.shared());
  }
}
