package io.stoker.agent.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Each device in turn, beginning with the second: of 0, 1, 2 it gives 1, 2, 0, 1, … A device that
 * cannot serve is passed over. A new list keeps the place, modulo its length.
 */
public final class RoundRobinPolicy implements DevicePolicy {
  private List<String> list = List.of();
  private int place;

  @Override
  public void devices(List<String> ids, long nowMs) {
    list = List.copyOf(ids);
    place = list.isEmpty() ? 0 : place % list.size();
  }

  @Override
  public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
    List<DeviceView> inTurn = new ArrayList<>(able.size());
    for (int i = 1; i <= list.size(); i++) {
      String id = list.get((place + i) % list.size());
      able.stream().filter(device -> device.id().equals(id)).forEach(inTurn::add);
    }
    return inTurn;
  }

  @Override
  public void granted(List<String> devices, long nowMs) {
    for (String id : devices) {
      int at = list.indexOf(id);
      place = at < 0 ? place : at;
    }
  }

  /** It always grants: what a job takes is the user's business. */
  @Override
  public OptionalLong assumed() {
    return OptionalLong.of(0);
  }

  /** {@code round-robin}. */
  public static final class Factory implements DevicePolicyFactory {
    @Override
    public String name() {
      return "round-robin";
    }

    @Override
    public DevicePolicy create(PolicyParameters parameters) {
      return new RoundRobinPolicy();
    }
  }
}
