package io.stoker.agent.policy;

import java.util.List;
import java.util.OptionalLong;

/**
 * A policy, asked for one job: who asks need not know of it.
 *
 * @param policy that decides
 * @param job that devices are wanted for
 */
public record AskedFor(DevicePolicy policy, JobView job) implements DevicePolicy {
  @Override
  public void observe(List<DeviceView> all, long nowMs) {
    policy.observe(all, nowMs);
  }

  @Override
  public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
    return policy.rank(able, job, nowMs);
  }

  @Override
  public OptionalLong withheldUntil(DeviceView device, long nowMs) {
    return policy.withheldUntil(device, nowMs);
  }

  @Override
  public OptionalLong assumed() {
    return policy.assumed();
  }

  @Override
  public OptionalLong assumed(long largest) {
    return policy.assumed(largest);
  }
}
