package io.stoker.agent.gpu;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * An initialised NVML. Safe for use by several threads at once.
 *
 * <p>A device is a GPU or a MIG device and is named by its UUID. An empty answer means that the
 * device or the driver does not offer the figure, never that the question failed: every failure is
 * an {@link NvmlException} with NVML's code. After {@link #close} every question throws {@link
 * IllegalStateException}.
 */
public interface NvmlApi extends AutoCloseable {
  /** Versions of the driver, of NVML and of CUDA. */
  NvmlVersions versions();

  /** Functions that the loaded library lacks; what they answer is always empty. */
  Set<String> missingFunctions();

  /** How many GPUs the driver sees, MIG devices not counted. */
  int count();

  /**
   * The UUID of the GPU at an index from 0 to {@link #count} − 1, in the order of PCI addresses.
   *
   * @throws NvmlException also when this one GPU cannot be asked, e.g. because it is lost
   */
  String uuid(int index);

  /** Name, addresses and compute capability of a device. */
  GpuIdentity identity(String uuid);

  /** All that changes of a device from moment to moment. */
  DeviceLoad load(String uuid);

  /** Memory of a device, in bytes. */
  MemoryReading memory(String uuid);

  /** How busy a GPU was in NVML's last sample period. MIG devices do not offer it. */
  Optional<Utilization> utilization(String uuid);

  /**
   * The processes that compute on a device, through MPS too, or draw there; empty if the library
   * cannot list those that compute.
   */
  Optional<List<ComputeProcess>> computeProcesses(String uuid);

  /**
   * The newest sample of each process that was busy on a GPU after a moment, in µs since 1970.
   * Empty if the GPU cannot tell; a list without entries if no process was.
   */
  Optional<List<ProcessLoad>> processLoads(String uuid, long sinceMicros);

  /** Power drawn now, in milliwatts. */
  OptionalLong powerMilliwatts(String uuid);

  /** Energy since the driver was loaded, in millijoules. The counter may start again. */
  OptionalLong energyMillijoules(String uuid);

  /** Temperature of the chip, in degrees Celsius. */
  OptionalInt temperatureCelsius(String uuid);

  /** From which temperature on a GPU protects itself, in degrees Celsius. */
  OptionalInt temperatureLimit(String uuid, TemperatureLimit limit);

  /**
   * The processors that are nearest to a device, or to the GPU that it is a part of: a bit each,
   * the lowest numbers first.
   */
  Optional<long[]> cpuAffinity(String uuid);

  /** Why the clocks are lower than they could be. */
  Optional<ClocksEventReasons> clocksEventReasons(String uuid);

  /** Whether ECC is on now, and after the next reboot. */
  Optional<EccMode> eccMode(String uuid);

  /** What a GPU tells of its own condition. */
  HealthReading health(String uuid);

  /** Whether the GPU is cut into MIG devices now, and after the next reset. */
  Optional<MigMode> migMode(String uuid);

  /** The MIG devices of a GPU at this moment; none if it is not in MIG mode. */
  List<MigDevice> migDevices(String gpuUuid);

  /** How near two different GPUs are to each other. */
  Optional<TopologyLevel> topologyBetween(String first, String second);

  /** The active NVLinks of a GPU; none if it has none. */
  List<NvLink> nvLinks(String uuid);

  /** Watches devices for troubles from now on; empty if the library cannot. */
  Optional<NvmlEvents> watch(Collection<String> uuids);

  /** Releases NVML, once; calls in flight end first. Closing again does nothing. */
  @Override
  void close();
}
