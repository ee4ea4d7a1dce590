package io.stoker.agent.link;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceException;
import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.device.MemoryReader;
import io.stoker.agent.loop.DeviceCleaner;
import io.stoker.agent.loop.DeviceFinder;
import io.stoker.agent.nvml.NvmlApi;
import io.stoker.agent.nvml.NvmlException;
import io.stoker.agent.runner.ProcessScan;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Measures this host's GPUs each second, on a thread of its own: a device that does not answer must
 * not hold up the agent. On a host without GPU it looks for a driver that appears later.
 */
final class DeviceWatch implements DeviceCleaner, DeviceFinder, AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DeviceWatch.class);
  private static final long LOOK_MS = 1_000;
  private static final long CLEAN_MS = 200;

  /** Between two looks at which devices there are: MIG may be cut anew, a driver may appear. */
  private static final long AGAIN_MS = 30_000;

  /**
   * Looks at a device that does not come clean, one each 200 ms, before it is given out all the
   * same: in a pid namespace of its own the agent sees no process of others, and would wait for
   * ever.
   */
  private static final int PATIENCE = 150;

  private final HostDevices devices;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> Thread.ofPlatform().daemon().name("devices").unstarted(task));
  private volatile List<DeviceTelemetry> last = List.of();

  DeviceWatch(HostDevices devices) {
    this.devices = devices;
  }

  /**
   * Begins to measure.
   *
   * @param owner what the markers of this agent's runs begin with
   * @param inputs told of every measurement
   */
  void start(String owner, Consumer<Input> inputs) {
    ProcessScan scan = new ProcessScan(owner);
    every(LOOK_MS, () -> devices.nvml().ifPresent(nvml -> look(nvml, scan, inputs)));
    every(AGAIN_MS, () -> lookAgain(inputs));
  }

  /** A look that fails is not the last. */
  private void every(long ms, Runnable look) {
    thread.scheduleWithFixedDelay(
        () -> {
          try {
            look.run();
          } catch (RuntimeException e) {
            LOG.warn("the devices could not be looked at", e);
          }
        },
        0,
        ms,
        TimeUnit.MILLISECONDS);
  }

  private void lookAgain(Consumer<Input> inputs) {
    if (devices.lookAgain()) {
      inputs.accept(new Input.DevicesFound(devices.inventory()));
    }
  }

  @Override
  public void find(Optional<String> list, Consumer<Input> inputs) {
    thread.execute(
        () -> {
          try {
            inputs.accept(new Input.DevicesFound(devices.offer(list)));
          } catch (IOException | DeviceException | NvmlException e) {
            inputs.accept(new Input.DevicesRefused(e.getMessage()));
          }
        });
  }

  /** As last measured. */
  List<DeviceTelemetry> telemetry() {
    return last;
  }

  private void look(NvmlApi nvml, ProcessScan scan, Consumer<Input> inputs) {
    last = devices.telemetry();
    Map<Long, String> holders = new HashMap<>();
    scan.scan().forEach((run, pids) -> pids.forEach(pid -> holders.put(pid, run)));
    MemoryReader reader = new MemoryReader(nvml);
    Map<String, DeviceReading> readings = new HashMap<>();
    for (Device device : devices.inventory().devices()) {
      try {
        readings.put(device.id(), reader.read(device, holders));
      } catch (NvmlException e) {
        LOG.debugf("device %s cannot be measured: %s", device.id(), e.getMessage());
      }
    }
    inputs.accept(new Input.Observed(readings));
  }

  /**
   * Waits until the driver lists no process on the devices that is gone, for such a one still holds
   * memory; at most 30 s. Until then nobody else gets them.
   */
  @Override
  public void clean(AttemptKey key, List<String> ids, Runnable clean) {
    devices
        .nvml()
        .ifPresentOrElse(nvml -> thread.execute(() -> check(nvml, key, ids, clean, 0)), clean);
  }

  private void check(NvmlApi nvml, AttemptKey key, List<String> ids, Runnable clean, int looks) {
    boolean dirty = ids.stream().anyMatch(id -> holdsTheDead(nvml, id));
    if (dirty && looks >= PATIENCE) {
      LOG.warnf("devices %s still list processes that are gone since attempt %s ended", ids, key);
    }
    if (!dirty || looks >= PATIENCE) {
      clean.run();
      return;
    }
    thread.schedule(() -> check(nvml, key, ids, clean, looks + 1), CLEAN_MS, TimeUnit.MILLISECONDS);
  }

  private boolean holdsTheDead(NvmlApi nvml, String id) {
    try {
      return nvml.computeProcesses(devices.uuid(id))
          .map(
              processes ->
                  processes.stream().anyMatch(one -> !Files.exists(Path.of("/proc/" + one.pid()))))
          .orElse(false);
    } catch (NvmlException e) {
      return true; // a device that does not answer is given to nobody
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
