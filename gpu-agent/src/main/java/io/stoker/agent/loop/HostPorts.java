package io.stoker.agent.loop;

import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.report.Outlet;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.HostResources;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * What an agent reaches of the world outside: its devices and its topics.
 *
 * @param inventory what is there to be given
 * @param resources the same, as told to the dispatcher
 * @param telemetry measures the devices
 * @param deadLetters takes a refused record and the reason
 */
public record HostPorts(
    Inventory inventory,
    HostResources resources,
    Supplier<List<DeviceTelemetry>> telemetry,
    DeviceCleaner cleaner,
    Outlet events,
    Outlet heartbeats,
    Outlet logs,
    BiConsumer<ReceivedRecord, String> deadLetters) {}
