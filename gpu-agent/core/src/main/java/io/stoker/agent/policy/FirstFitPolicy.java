package io.stoker.agent.policy;

import java.util.List;

/** The first device of the list that will do. */
public final class FirstFitPolicy implements DevicePolicy {
  @Override
  public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
    return able;
  }

  /** {@code first-fit}. */
  public static final class Factory implements DevicePolicyFactory {
    @Override
    public String name() {
      return "first-fit";
    }

    @Override
    public DevicePolicy create(PolicyParameters parameters) {
      return PartsPolicy.of(parameters, new FirstFitPolicy());
    }
  }
}
