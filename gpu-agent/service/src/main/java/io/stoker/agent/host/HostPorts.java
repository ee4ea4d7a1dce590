package io.stoker.agent.host;

import io.stoker.agent.attempt.DeviceAllocator;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.loop.Ports;
import io.stoker.agent.report.Outlet;
import io.stoker.agent.runner.Affinity;
import io.stoker.agent.runner.RendezvousPorts;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/**
 * The ports of an agent to the world outside: its devices and its topics.
 *
 * @param inventory what is there to be given
 * @param allocator by which it is given
 * @param labels of the host
 * @param memory bytes of host memory that its jobs may be promised in all, if that is known
 * @param affinity on which processors jobs run
 * @param meetings where gangs meet
 */
public record HostPorts(
    Inventory inventory,
    DeviceAllocator allocator,
    Map<String, String> labels,
    OptionalLong memory,
    Ports.Devices devices,
    Affinity affinity,
    RendezvousPorts meetings,
    Topics topics) {
  /**
   * Where it says what.
   *
   * @param deadLetters takes a refused record and the reason
   */
  public record Topics(
      Outlet events,
      Outlet heartbeats,
      Outlet logs,
      BiConsumer<ReceivedRecord, String> deadLetters) {}
}
