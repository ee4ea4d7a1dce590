package io.stoker.agent.policy;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * For many jobs on little memory, whose need nobody knows: what a job takes is estimated from those
 * that run. A device is granted if it has more free than the estimate, has had so for a while, and
 * was not granted a moment ago, when what was granted may not show yet. Most free first.
 *
 * <p>Sizes are whole MB of 2²⁰ bytes.
 */
public final class AutoPolicy implements DevicePolicy {
  /** How the memory of several processes makes one estimate. */
  public enum Condition {
    MEAN,
    MAX
  }

  /**
   * What it goes by.
   *
   * @param putInterval between two grants of one device
   * @param memory what a job takes, in MB, as long as none was seen
   * @param availableInterval for which a device must have been available
   * @param dynamic whether the estimate follows what jobs take
   */
  public record Settings(
      Duration putInterval,
      long memory,
      Duration availableInterval,
      boolean dynamic,
      Condition condition) {
    public static final Settings DEFAULT =
        new Settings(Duration.ofSeconds(5), 1_000, Duration.ofSeconds(5), true, Condition.MEAN);
  }

  private final Settings settings;
  private final Set<String> tracked = new HashSet<>();
  private final Map<String, Long> availableSince = new HashMap<>();
  private final Map<String, Long> grantedAt = new HashMap<>();
  private long estimateMb;

  public AutoPolicy(Settings settings) {
    this.settings = settings;
    estimateMb = settings.memory();
  }

  @Override
  public void devices(List<String> ids, long nowMs) {
    availableSince.keySet().retainAll(ids);
    grantedAt.keySet().retainAll(ids);
    ids.forEach(id -> availableSince.putIfAbsent(id, nowMs));
  }

  @Override
  public void observe(List<DeviceView> all, long nowMs) {
    estimate(all);
    for (DeviceView device : all) {
      if (device.freeMb() <= estimateMb) {
        availableSince.put(device.id(), nowMs);
      }
    }
  }

  @Override
  public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
    return able.stream()
        .filter(device -> grants(device, nowMs))
        .sorted(Comparator.comparingLong(DeviceView::freeMb).reversed())
        .toList();
  }

  private boolean grants(DeviceView device, long nowMs) {
    return device.freeMb() > estimateMb && grantsFrom(device, nowMs) <= nowMs;
  }

  /** When both intervals are over, if it has enough free until then. */
  private long grantsFrom(DeviceView device, long nowMs) {
    long available =
        availableSince.getOrDefault(device.id(), nowMs) + settings.availableInterval().toMillis();
    Long granted = grantedAt.get(device.id());
    return granted == null
        ? available
        : Math.max(available, granted + settings.putInterval().toMillis());
  }

  /** Of a device that is short of memory nobody can say. */
  @Override
  public OptionalLong withheldUntil(DeviceView device, long nowMs) {
    return device.freeMb() > estimateMb
        ? OptionalLong.of(grantsFrom(device, nowMs))
        : OptionalLong.empty();
  }

  /** Of processes that are ours alone; while none is seen, the last estimate stays. */
  private void estimate(List<DeviceView> devices) {
    if (!settings.dynamic()) {
      return;
    }
    LongSummaryStatistics seen =
        devices.stream()
            .flatMap(device -> device.usedByProcess().entrySet().stream())
            .filter(entry -> tracked.contains(entry.getKey()))
            .mapToLong(entry -> Math.floorDiv(entry.getValue(), DeviceView.MB))
            .summaryStatistics();
    if (seen.getCount() > 0) {
      estimateMb =
          settings.condition() == Condition.MAX
              ? seen.getMax()
              : Math.floorDiv(seen.getSum(), seen.getCount());
    }
  }

  @Override
  public void granted(List<String> devices, long nowMs) {
    devices.forEach(id -> grantedAt.put(id, nowMs));
  }

  /** The estimate: it is what is promised to a job that does not say what it takes. */
  @Override
  public OptionalLong assumed() {
    return OptionalLong.of(estimateMb * DeviceView.MB);
  }

  @Override
  public void addProcess(String process) {
    tracked.add(process);
  }

  @Override
  public void removeProcess(String process) {
    tracked.remove(process);
  }

  /** {@code auto}, with the parameters of {@link Settings} under their names in the docs. */
  public static final class Factory implements DevicePolicyFactory {
    @Override
    public String name() {
      return "auto";
    }

    @Override
    public DevicePolicy create(PolicyParameters given) {
      Settings standard = Settings.DEFAULT;
      String condition = given.choice("dynamic-condition", "mean", List.of("mean", "max"));
      return new AutoPolicy(
          new Settings(
              given.duration("put-interval", standard.putInterval()),
              given.count("mean-memory-occupated", standard.memory()),
              given.duration("available-interval", standard.availableInterval()),
              given.flag("dynamic-memory-occupated", standard.dynamic()),
              condition.equals("max") ? Condition.MAX : Condition.MEAN));
    }
  }
}
