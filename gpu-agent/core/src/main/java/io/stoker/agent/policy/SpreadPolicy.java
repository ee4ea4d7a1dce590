package io.stoker.agent.policy;

import java.util.Comparator;
import java.util.List;

/** The device with the fewest jobs; of those, the one with most memory to give. */
public final class SpreadPolicy implements DevicePolicy {
  @Override
  public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
    return able.stream()
        .sorted(
            Comparator.comparingInt(DeviceView::holders)
                .thenComparing(Comparator.comparingLong(DeviceView::free).reversed()))
        .toList();
  }

  /** {@code spread}. */
  public static final class Factory implements DevicePolicyFactory {
    @Override
    public String name() {
      return "spread";
    }

    @Override
    public DevicePolicy create(PolicyParameters parameters) {
      return PartsPolicy.of(parameters, new SpreadPolicy());
    }
  }
}
