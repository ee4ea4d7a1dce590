package io.stoker.agent.hardware;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.DeviceSample;
import io.stoker.agent.attempt.Input.RunSample;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.device.Cleanliness;
import io.stoker.agent.device.Cleanliness.Left;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceException;
import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.device.HealthBook;
import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.MemoryReading;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.loop.DeviceCleaner;
import io.stoker.agent.loop.DeviceFinder;
import io.stoker.agent.runner.ProcessScan;
import io.stoker.agent.runner.RunProcesses;
import io.stoker.common.life.Vital;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Measures this host's GPUs each second, on a thread of its own: a device that does not answer must
 * not hold up the agent. On a host without GPU it looks for a driver that appears later.
 */
public final class DeviceWatch implements DeviceCleaner, DeviceFinder, AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DeviceWatch.class);
  private static final long LOOK_MS = 1_000;
  private static final long CLEAN_MS = 200;

  /**
   * Looks that bring nothing new while nothing runs, after which the agent is told all the same.
   */
  private static final int MOST_UNSAID = 4;

  /** Between two looks at which devices there are: MIG may be cut anew, a driver may appear. */
  private static final long AGAIN_MS = 30_000;

  private final HostDevices devices;
  private final HealthBook book;
  private final long cleanWithinMs;
  private final Cleanliness cleanliness = new Cleanliness();
  private final ScheduledExecutorService thread = Vital.clock("devices", 1);
  private volatile List<DeviceTelemetry> last = List.of();

  /** What was last said of the devices, and how often that has been seen again since. */
  private Map<String, DeviceReading> observed = Map.of();

  private int unsaid;

  /** Made one after the other, each second: one waking of the processor serves them all. */
  private final List<Runnable> looks = new CopyOnWriteArrayList<>();

  private boolean hostSeen;

  /** Ended attempts whose devices are looked at. */
  private int cleanings;

  /**
   * @param book where devices are noted that do not come clean
   */
  public DeviceWatch(HostDevices devices, HealthBook book, Duration cleanWithin) {
    this.devices = devices;
    this.book = book;
    cleanWithinMs = cleanWithin.toMillis();
  }

  /**
   * Begins to measure.
   *
   * @param owner what the markers of this agent's runs begin with
   * @param roots the first process of each run
   * @param inputs told of every measurement
   */
  public void start(String owner, Supplier<Map<String, Long>> roots, Consumer<Input> inputs) {
    ProcessScan scan = new ProcessScan(owner);
    HostMeter meter = new HostMeter(Path.of("/proc"));
    looks.add(() -> lookAtHost(meter, roots.get().isEmpty(), inputs));
    looks.add(() -> look(scan, roots.get(), inputs));
    every(LOOK_MS, () -> looks.forEach(DeviceWatch::attempt));
    every(AGAIN_MS, () -> attempt(() -> lookAgain(inputs)));
  }

  /** Looks at something else, too, as often as at the devices and after them. */
  public void also(Runnable look) {
    looks.add(look);
  }

  private void every(long ms, Runnable task) {
    thread.scheduleWithFixedDelay(task, 0, ms, TimeUnit.MILLISECONDS);
  }

  /**
   * Has the driver released once this host offers none of its devices and nobody holds one.
   *
   * @param free whether nobody does
   */
  public void releaseOnce(BooleanSupplier free, Consumer<Input> inputs) {
    looks.add(
        () -> {
          if (cleanings == 0 && devices.releasable() && free.getAsBoolean()) {
            last = List.of();
            inputs.accept(new Input.DevicesFound(devices.release()));
          }
        });
  }

  /** A look that fails is not the last, and keeps no other from being made. */
  private static void attempt(Runnable look) {
    try {
      look.run();
    } catch (RuntimeException e) {
      LOG.warn("the devices could not be looked at", e);
    }
  }

  /** While nothing runs, every other look does: heartbeats are no more frequent. */
  private void lookAtHost(HostMeter meter, boolean idle, Consumer<Input> inputs) {
    hostSeen = !(idle && hostSeen);
    if (hostSeen) {
      meter.look().ifPresent(load -> inputs.accept(new Input.HostSampled(load)));
    }
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
            inputs.accept(new Input.ListUsed(list, devices.offer(list)));
          } catch (IOException | DeviceException | NvmlException e) {
            inputs.accept(new Input.ListRefused(list, e.getMessage()));
          }
        });
  }

  /** As last measured. */
  public List<DeviceTelemetry> telemetry() {
    return last;
  }

  /** While nothing runs, no process need be looked for. */
  private void look(ProcessScan scan, Map<String, Long> roots, Consumer<Input> inputs) {
    Map<String, Set<Long>> trees = new HashMap<>();
    if (!roots.isEmpty()) {
      RunProcesses found = scan.scan();
      roots.forEach((run, pid) -> trees.computeIfAbsent(run, found::of).add(pid));
    }
    Optional<Measured> measured = devices.nvml().map(nvml -> look(nvml, trees, inputs));
    if (!trees.isEmpty()) {
      Map<String, RunSample> runs = new HashMap<>();
      trees.forEach(
          (run, pids) -> TreeReader.read(pids).ifPresent(sample -> runs.put(run, sample)));
      inputs.accept(new Input.Sampled(runs, measured.map(Measured::samples).orElse(Map.of())));
    }
    // Told to others once the agent goes by it.
    measured.ifPresent(one -> last = one.telemetry());
  }

  /**
   * What one look at the devices has found.
   *
   * @param samples empty while nothing runs
   */
  private record Measured(Map<String, DeviceSample> samples, List<DeviceTelemetry> telemetry) {}

  private Measured look(NvmlApi nvml, Map<String, Set<Long>> trees, Consumer<Input> inputs) {
    Map<Long, String> holders = new HashMap<>();
    trees.forEach((run, pids) -> pids.forEach(pid -> holders.put(pid, run)));
    Map<String, DeviceReading> readings = new HashMap<>();
    Map<String, DeviceSample> samples = new HashMap<>();
    List<DeviceTelemetry> telemetry = new ArrayList<>();
    for (Device device : devices.inventory().devices()) {
      try {
        DeviceLook look = new DeviceLook(nvml.load(device.uuid()));
        left(device.uuid(), look.load().memory(), look.load().processes());
        DeviceReading reading = look.reading(holders);
        readings.put(device.id(), reading);
        telemetry.add(look.telemetry(device.id()));
        if (!trees.isEmpty()) {
          samples.put(device.id(), sample(nvml, device.uuid(), look, reading));
        }
      } catch (NvmlException e) {
        LOG.debugf("device %s cannot be measured: %s", device.id(), e.getMessage());
        telemetry.add(new DeviceTelemetry(device.id(), null, null, null, null));
      }
    }
    if (!trees.isEmpty() || !readings.equals(observed) || unsaid++ >= MOST_UNSAID) {
      unsaid = 0;
      observed = readings;
      inputs.accept(new Input.Observed(readings));
    }
    return new Measured(samples, List.copyOf(telemetry));
  }

  private static DeviceSample sample(
      NvmlApi nvml, String uuid, DeviceLook look, DeviceReading reading) {
    return new DeviceSample(
        look.load()
            .utilization()
            .map(use -> OptionalInt.of(use.gpuPercent()))
            .orElseGet(OptionalInt::empty),
        nvml.energyMillijoules(uuid),
        look.load().power(),
        reading.usedByHolder());
  }

  /**
   * Waits until the devices are free of what the run left: of processes that are gone, and of
   * memory that nobody has. Until then nobody else gets them; after {@code cleanWithin} they are
   * quarantined, and looked at further.
   */
  @Override
  public void clean(RunKey key, List<String> ids, Runnable clean) {
    List<String> uuids = ids.stream().map(devices::uuid).toList();
    devices
        .nvml()
        .ifPresentOrElse(
            nvml ->
                thread.execute(
                    () -> {
                      cleanings++;
                      tryCheck(nvml, new Cleaning(key, uuids, clean, 0));
                    }),
            clean);
  }

  private record Cleaning(RunKey key, List<String> uuids, Runnable clean, long waitedMs) {
    Cleaning after(long ms) {
      return new Cleaning(key, uuids, clean, waitedMs + ms);
    }
  }

  /** Devices whose look fails stay taken, and are looked at again. */
  private void tryCheck(NvmlApi nvml, Cleaning cleaning) {
    try {
      check(nvml, cleaning);
    } catch (RuntimeException e) {
      LOG.warnf(e, "devices of %s could not be looked at, trying again", cleaning.key());
      checkLater(nvml, cleaning, LOOK_MS);
    }
  }

  private void checkLater(NvmlApi nvml, Cleaning cleaning, long pause) {
    thread.schedule(() -> tryCheck(nvml, cleaning.after(pause)), pause, TimeUnit.MILLISECONDS);
  }

  private void check(NvmlApi nvml, Cleaning cleaning) {
    boolean late = cleaning.waitedMs() >= cleanWithinMs;
    boolean free = true;
    for (String uuid : cleaning.uuids()) {
      Left left = left(nvml, uuid);
      // In a pid namespace of its own the agent sees no process of others: only memory tells.
      boolean dirty = late ? left == Left.MEMORY : left != Left.NOTHING;
      book.leftovers(
          uuid,
          dirty && late
              ? Optional.of("memory of attempt %s is not given back".formatted(cleaning.key()))
              : Optional.empty());
      free &= !dirty;
    }
    if (free) {
      cleanings--;
      cleaning.clean().run();
    } else {
      checkLater(nvml, cleaning, late ? LOOK_MS : CLEAN_MS);
    }
  }

  private Left left(NvmlApi nvml, String uuid) {
    try {
      Optional<List<ComputeProcess>> processes = nvml.computeProcesses(uuid);
      return left(uuid, nvml.memory(uuid), processes);
    } catch (NvmlException e) {
      return Left.MEMORY; // a device that does not answer is given to nobody
    }
  }

  private Left left(String uuid, MemoryReading memory, Optional<List<ComputeProcess>> processes) {
    return cleanliness.look(
        uuid,
        memory.total(),
        memory.used(),
        processes,
        pid -> Files.exists(Path.of("/proc/" + pid)));
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
