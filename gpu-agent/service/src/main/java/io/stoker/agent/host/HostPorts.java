package io.stoker.agent.host;

import io.stoker.agent.attempt.DeviceDesk;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.loop.DeviceCleaner;
import io.stoker.agent.loop.DeviceFinder;
import io.stoker.agent.report.Outlet;
import io.stoker.agent.runner.Affinity;
import io.stoker.agent.runner.MeetingPorts;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * What an agent reaches of the world outside: its devices and its topics.
 *
 * @param inventory what is there to be given
 * @param desk by which it is given
 * @param labels of the host
 * @param memory bytes of host memory that its jobs may be promised in all, if that is known
 * @param finder looks for the devices of a list
 * @param telemetry measures the devices
 * @param affinity on which processors jobs run
 * @param meetings where gangs meet
 * @param deadLetters takes a refused record and the reason
 */
public record HostPorts(
    Inventory inventory,
    DeviceDesk desk,
    Map<String, String> labels,
    OptionalLong memory,
    DeviceFinder finder,
    Supplier<List<DeviceTelemetry>> telemetry,
    DeviceCleaner cleaner,
    Affinity affinity,
    MeetingPorts meetings,
    Outlet events,
    Outlet heartbeats,
    Outlet logs,
    BiConsumer<ReceivedRecord, String> deadLetters) {}
