package io.stoker.agent.policy;

import java.util.Comparator;
import java.util.List;

/** The fullest device that will do, so that others stay free for large jobs. */
public final class PackedPolicy implements DevicePolicy {
  @Override
  public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
    // Sorting is stable: equals stay in the order of the list.
    return able.stream().sorted(Comparator.comparingLong(DeviceView::free)).toList();
  }

  /** {@code packed}. */
  public static final class Factory implements DevicePolicyFactory {
    @Override
    public String name() {
      return "packed";
    }

    @Override
    public DevicePolicy create(PolicyParameters parameters) {
      return PartsPolicy.of(parameters, new PackedPolicy());
    }
  }
}
