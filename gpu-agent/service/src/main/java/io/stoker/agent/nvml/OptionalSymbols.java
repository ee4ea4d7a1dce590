package io.stoker.agent.nvml;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.nvml.Signatures.DeviceFourOut;
import io.stoker.agent.nvml.Signatures.DeviceKindsOut;
import io.stoker.agent.nvml.Signatures.DeviceOtherOut;
import io.stoker.agent.nvml.Signatures.DeviceOut;
import io.stoker.agent.nvml.Signatures.DevicePagesOut;
import io.stoker.agent.nvml.Signatures.DeviceSamplesOut;
import io.stoker.agent.nvml.Signatures.DeviceSelectOut;
import io.stoker.agent.nvml.Signatures.DeviceTwoOut;
import io.stoker.agent.nvml.Signatures.SystemOut;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The functions that a driver may lack. Each is declared in a class of its own, since registering
 * is all or nothing for a class. A missing one is replaced by a stand-in that answers
 * FUNCTION_NOT_FOUND, as NVML itself does when the driver below it is too old.
 */
final class OptionalSymbols {
  final SystemOut cudaDriverVersion;
  final DeviceOut minorNumber;
  final DeviceOut pciInfo;
  final DeviceTwoOut computeCapability;
  final DeviceOut memoryV2;
  final DeviceOut utilization;
  final DeviceTwoOut computeProcesses;
  final DeviceSamplesOut processUtilization;
  final DeviceOut power;
  final DeviceOut energy;
  final DeviceSelectOut temperature;
  final DeviceOut clocksEventReasons;
  final DeviceTwoOut eccMode;
  final DeviceKindsOut eccErrors;
  final DevicePagesOut retiredPages;
  final DeviceOut retirementPending;
  final DeviceFourOut remappedRows;
  final DeviceTwoOut migMode;
  final DeviceOut maxMigDeviceCount;
  final DeviceSelectOut migDeviceByIndex;
  final DeviceOtherOut topologyCommonAncestor;
  final DeviceSelectOut nvLinkState;
  final DeviceSelectOut nvLinkRemotePci;
  final DeviceTwoOut graphicsProcesses;
  final DeviceTwoOut mpsProcesses;
  final DeviceSelectOut temperatureThreshold;
  final DeviceSelectOut cpuAffinity;
  final DeviceOut gpuInstanceId;
  final DeviceOut gpuOfMigDevice;
  final DeviceOut attributes;

  /** Whether {@link EventSymbols} may be called. */
  final boolean events;

  private final NativeLibrary library;
  private final Set<String> missing = new LinkedHashSet<>();
  private final List<Class<?>> registered = new ArrayList<>();

  OptionalSymbols(NativeLibrary library) {
    this.library = library;
    SystemOut noSystem = out -> NvmlCodes.FUNCTION_NOT_FOUND;
    DeviceOut none = (device, out) -> NvmlCodes.FUNCTION_NOT_FOUND;
    DeviceTwoOut noTwo = (device, first, second) -> NvmlCodes.FUNCTION_NOT_FOUND;
    DeviceSelectOut noSelect = (device, which, out) -> NvmlCodes.FUNCTION_NOT_FOUND;
    cudaDriverVersion = bind(Cuda.class, Cuda::nvmlSystemGetCudaDriverVersion_v2, noSystem);
    minorNumber = bind(Minor.class, Minor::nvmlDeviceGetMinorNumber, none);
    pciInfo = bind(Pci.class, Pci::nvmlDeviceGetPciInfo_v3, none);
    computeCapability =
        bind(Capability.class, Capability::nvmlDeviceGetCudaComputeCapability, noTwo);
    memoryV2 = bind(MemoryV2.class, MemoryV2::nvmlDeviceGetMemoryInfo_v2, none);
    utilization = bind(Rates.class, Rates::nvmlDeviceGetUtilizationRates, none);
    // The entries of the older list are as long or shorter: the reader infers their length anyway.
    computeProcesses =
        bind(
            ProcessesV3.class,
            ProcessesV3::nvmlDeviceGetComputeRunningProcesses_v3,
            bind(ProcessesV2.class, ProcessesV2::nvmlDeviceGetComputeRunningProcesses_v2, noTwo));
    power = bind(Power.class, Power::nvmlDeviceGetPowerUsage, none);
    energy = bind(Energy.class, Energy::nvmlDeviceGetTotalEnergyConsumption, none);
    temperature = bind(Temperature.class, Temperature::nvmlDeviceGetTemperature, noSelect);
    // NVIDIA renamed the reasons; the mask is the same.
    clocksEventReasons =
        bind(
            Reasons.class,
            Reasons::nvmlDeviceGetCurrentClocksEventReasons,
            bind(OldReasons.class, OldReasons::nvmlDeviceGetCurrentClocksThrottleReasons, none));
    eccMode = bind(Ecc.class, Ecc::nvmlDeviceGetEccMode, noTwo);
    eccErrors =
        bind(
            EccErrors.class,
            EccErrors::nvmlDeviceGetTotalEccErrors,
            (device, kind, counter, out) -> NvmlCodes.FUNCTION_NOT_FOUND);
    retiredPages =
        bind(
            Retired.class,
            Retired::nvmlDeviceGetRetiredPages_v2,
            (device, cause, count, addresses, times) -> NvmlCodes.FUNCTION_NOT_FOUND);
    retirementPending =
        bind(RetirePending.class, RetirePending::nvmlDeviceGetRetiredPagesPendingStatus, none);
    remappedRows =
        bind(
            Remapped.class,
            Remapped::nvmlDeviceGetRemappedRows,
            (device, first, second, third, fourth) -> NvmlCodes.FUNCTION_NOT_FOUND);
    migMode = bind(Mig.class, Mig::nvmlDeviceGetMigMode, noTwo);
    maxMigDeviceCount = bind(MigCount.class, MigCount::nvmlDeviceGetMaxMigDeviceCount, none);
    migDeviceByIndex =
        bind(MigByIndex.class, MigByIndex::nvmlDeviceGetMigDeviceHandleByIndex, noSelect);
    processUtilization =
        bind(
            Samples.class,
            Samples::nvmlDeviceGetProcessUtilization,
            (device, samples, count, since) -> NvmlCodes.FUNCTION_NOT_FOUND);
    topologyCommonAncestor =
        bind(
            Ancestor.class,
            Ancestor::nvmlDeviceGetTopologyCommonAncestor,
            (device, other, out) -> NvmlCodes.FUNCTION_NOT_FOUND);
    nvLinkState = bind(LinkState.class, LinkState::nvmlDeviceGetNvLinkState, noSelect);
    nvLinkRemotePci =
        bind(LinkRemote.class, LinkRemote::nvmlDeviceGetNvLinkRemotePciInfo_v2, noSelect);
    graphicsProcesses =
        bind(GraphicsV3.class, GraphicsV3::nvmlDeviceGetGraphicsRunningProcesses_v3, noTwo);
    mpsProcesses = bind(MpsV3.class, MpsV3::nvmlDeviceGetMPSComputeRunningProcesses_v3, noTwo);
    temperatureThreshold =
        bind(Threshold.class, Threshold::nvmlDeviceGetTemperatureThreshold, noSelect);
    cpuAffinity = bind(Affinity.class, Affinity::nvmlDeviceGetCpuAffinity, noSelect);
    gpuInstanceId = bind(GpuInstance.class, GpuInstance::nvmlDeviceGetGpuInstanceId, none);
    gpuOfMigDevice =
        bind(MigParent.class, MigParent::nvmlDeviceGetDeviceHandleFromMigDeviceHandle, none);
    attributes = bind(Attributes.class, Attributes::nvmlDeviceGetAttributes_v2, none);
    events = bind(EventSymbols.class, true, false);
  }

  /** Names of the functions the library does not have, alternatives of a present one included. */
  Set<String> missing() {
    return Set.copyOf(missing);
  }

  /** Undoes the registrations, so that another library can be bound in this JVM. */
  void unregister() {
    registered.forEach(Native::unregister);
  }

  private <F> F bind(Class<?> declaration, F bound, F otherwise) {
    try {
      Native.register(declaration, library);
      registered.add(declaration);
      return bound;
    } catch (UnsatisfiedLinkError absent) {
      Stream.of(declaration.getDeclaredMethods()).map(Method::getName).forEach(missing::add);
      return otherwise;
    }
  }

  static final class Cuda {
    static native int nvmlSystemGetCudaDriverVersion_v2(long version);
  }

  static final class Minor {
    static native int nvmlDeviceGetMinorNumber(long device, long minor);
  }

  static final class Pci {
    static native int nvmlDeviceGetPciInfo_v3(long device, long pci);
  }

  static final class Capability {
    static native int nvmlDeviceGetCudaComputeCapability(long device, long major, long minor);
  }

  static final class MemoryV2 {
    static native int nvmlDeviceGetMemoryInfo_v2(long device, long memory);
  }

  static final class Rates {
    static native int nvmlDeviceGetUtilizationRates(long device, long utilization);
  }

  static final class ProcessesV3 {
    static native int nvmlDeviceGetComputeRunningProcesses_v3(long device, long count, long infos);
  }

  static final class ProcessesV2 {
    static native int nvmlDeviceGetComputeRunningProcesses_v2(long device, long count, long infos);
  }

  static final class Samples {
    static native int nvmlDeviceGetProcessUtilization(
        long device, long samples, long count, long since);
  }

  static final class Ancestor {
    static native int nvmlDeviceGetTopologyCommonAncestor(long device, long other, long level);
  }

  static final class LinkState {
    static native int nvmlDeviceGetNvLinkState(long device, int link, long active);
  }

  static final class LinkRemote {
    static native int nvmlDeviceGetNvLinkRemotePciInfo_v2(long device, int link, long pci);
  }

  static final class Power {
    static native int nvmlDeviceGetPowerUsage(long device, long milliwatts);
  }

  static final class Energy {
    static native int nvmlDeviceGetTotalEnergyConsumption(long device, long millijoules);
  }

  static final class Temperature {
    static native int nvmlDeviceGetTemperature(long device, int sensor, long celsius);
  }

  static final class Reasons {
    static native int nvmlDeviceGetCurrentClocksEventReasons(long device, long reasons);
  }

  static final class OldReasons {
    static native int nvmlDeviceGetCurrentClocksThrottleReasons(long device, long reasons);
  }

  static final class Ecc {
    static native int nvmlDeviceGetEccMode(long device, long current, long pending);
  }

  static final class EccErrors {
    static native int nvmlDeviceGetTotalEccErrors(long device, int type, int counter, long count);
  }

  static final class Retired {
    static native int nvmlDeviceGetRetiredPages_v2(
        long device, int cause, long count, long addresses, long times);
  }

  static final class RetirePending {
    static native int nvmlDeviceGetRetiredPagesPendingStatus(long device, long pending);
  }

  static final class Remapped {
    static native int nvmlDeviceGetRemappedRows(
        long device, long corrected, long uncorrected, long pending, long failure);
  }

  static final class Mig {
    static native int nvmlDeviceGetMigMode(long device, long current, long pending);
  }

  static final class MigCount {
    static native int nvmlDeviceGetMaxMigDeviceCount(long device, long count);
  }

  static final class MigByIndex {
    static native int nvmlDeviceGetMigDeviceHandleByIndex(long device, int index, long mig);
  }

  static final class GraphicsV3 {
    static native int nvmlDeviceGetGraphicsRunningProcesses_v3(long device, long count, long infos);
  }

  static final class MpsV3 {
    static native int nvmlDeviceGetMPSComputeRunningProcesses_v3(
        long device, long count, long infos);
  }

  static final class Threshold {
    static native int nvmlDeviceGetTemperatureThreshold(long device, int which, long celsius);
  }

  static final class Affinity {
    static native int nvmlDeviceGetCpuAffinity(long device, int words, long mask);
  }

  static final class GpuInstance {
    static native int nvmlDeviceGetGpuInstanceId(long device, long id);
  }

  static final class MigParent {
    static native int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(long mig, long device);
  }

  static final class Attributes {
    static native int nvmlDeviceGetAttributes_v2(long device, long attributes);
  }
}
