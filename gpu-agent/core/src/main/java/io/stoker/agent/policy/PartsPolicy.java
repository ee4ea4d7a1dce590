package io.stoker.agent.policy;

import java.util.List;
import java.util.OptionalLong;

/**
 * Another policy for jobs of which so many share a device: one that does not say what it takes is
 * counted with that part of the largest device, and no device gets more of them.
 */
final class PartsPolicy implements DevicePolicy {
  static final String JOBS_PER_DEVICE = "jobs-per-device";

  /** Of ten parts of a device's memory: the rest is what a driver takes of an idle one. */
  private static final int USABLE_TENTHS = 9;

  private static final int TENTHS = 10;

  private final DevicePolicy order;
  private final long jobs;

  private PartsPolicy(DevicePolicy order, long jobs) {
    this.order = order;
    this.jobs = jobs;
  }

  /** The policy itself, unless the parameter says how many are to share a device. */
  static DevicePolicy of(PolicyParameters parameters, DevicePolicy order) {
    OptionalLong jobs = parameters.positive(JOBS_PER_DEVICE);
    return jobs.isEmpty() ? order : new PartsPolicy(order, jobs.getAsLong());
  }

  @Override
  public void devices(List<String> ids, long nowMs) {
    order.devices(ids, nowMs);
  }

  @Override
  public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
    return order.rank(able.stream().filter(device -> device.holders() < jobs).toList(), nowMs);
  }

  @Override
  public OptionalLong assumed(long largest) {
    return largest == 0
        ? OptionalLong.empty()
        : OptionalLong.of(largest / TENTHS * USABLE_TENTHS / jobs);
  }
}
