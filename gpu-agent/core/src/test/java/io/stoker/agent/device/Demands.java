package io.stoker.agent.device;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Demands that tests make. */
final class Demands {

  private Demands() {}

  static Demand gpus(int gpus) {
    return new Demand.Gpu(gpus, OptionalLong.empty(), false, Optional.empty(), true, Set.of());
  }

  static Demand shared(long memory) {
    return new Demand.Gpu(1, OptionalLong.of(memory), true, Optional.empty(), true, Set.of());
  }

  static Demand on(String device) {
    return new Demand.Gpu(1, OptionalLong.empty(), false, Optional.of(device), true, Set.of());
  }

  static Demand avoiding(int gpus, String device) {
    return new Demand.Gpu(
        gpus, OptionalLong.empty(), false, Optional.empty(), true, Set.of(device));
  }

  static Demand exclusiveWith(long memory) {
    return new Demand.Gpu(1, OptionalLong.of(memory), false, Optional.empty(), true, Set.of());
  }

  static Demand sharedWithoutFigure() {
    return new Demand.Gpu(1, OptionalLong.empty(), true, Optional.empty(), true, Set.of());
  }
}
