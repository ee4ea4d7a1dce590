package io.stoker.agent.nvml;

import com.sun.jna.Pointer;
import io.stoker.agent.gpu.ClocksEventReasons;
import io.stoker.agent.gpu.ComputeCapability;
import io.stoker.agent.gpu.EccMode;
import io.stoker.agent.gpu.MemoryReading;
import io.stoker.agent.gpu.MigMode;
import io.stoker.agent.gpu.PciAddress;
import io.stoker.agent.gpu.TemperatureLimit;
import io.stoker.agent.gpu.Utilization;
import io.stoker.agent.nvml.Layouts.MemoryV1;
import io.stoker.agent.nvml.Layouts.MemoryV2;
import io.stoker.agent.nvml.Layouts.PciInfo;
import io.stoker.agent.nvml.Layouts.Text;
import io.stoker.agent.nvml.Layouts.UtilizationRates;
import io.stoker.agent.nvml.Signatures.DeviceOut;
import io.stoker.agent.nvml.Signatures.DeviceTwoOut;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;

/** Asks a device whose handle is at hand. */
record DeviceQuestions(OptionalSymbols optional, Calls calls) {
  /** The only sensor that NVML knows: the chip itself. */
  private static final int CHIP = 0;

  /** Room for 4,096 processors. */
  private static final int CPU_WORDS = 64;

  /** The handle of a UUID: good for one question, never to be kept. */
  long handle(String uuid) {
    return calls.requiredStruct(
        "nvmlDeviceGetHandleByUUID",
        uuid,
        Long.BYTES,
        out -> CoreSymbols.nvmlDeviceGetHandleByUUID(Calls.cString(uuid), out),
        out -> out.getLong(0));
  }

  String name(long device, String uuid) {
    return calls.text(
        "nvmlDeviceGetName",
        uuid,
        Text.NAME,
        (out, length) -> CoreSymbols.nvmlDeviceGetName(device, out, length));
  }

  String uuid(long device, String subject) {
    return calls.text(
        "nvmlDeviceGetUUID",
        subject,
        Text.UUID,
        (out, length) -> CoreSymbols.nvmlDeviceGetUUID(device, out, length));
  }

  Optional<Integer> minorNumber(long device, String uuid) {
    return number("nvmlDeviceGetMinorNumber", uuid, device, optional.minorNumber);
  }

  Optional<PciAddress> pci(long device, String uuid) {
    return calls.struct(
        "nvmlDeviceGetPciInfo_v3",
        uuid,
        PciInfo.SIZE,
        out -> optional.pciInfo.call(device, out),
        DeviceQuestions::pciAddress);
  }

  static PciAddress pciAddress(Pointer pci) {
    return new PciAddress(
        pci.getInt(PciInfo.DOMAIN),
        pci.getInt(PciInfo.BUS),
        pci.getInt(PciInfo.DEVICE),
        pci.getString(PciInfo.BUS_ID));
  }

  Optional<ComputeCapability> computeCapability(long device, String uuid) {
    return twoNumbers(
        "nvmlDeviceGetCudaComputeCapability",
        uuid,
        device,
        optional.computeCapability,
        ComputeCapability::new);
  }

  /** The second version tells what is reserved apart from what is used; the first every one has. */
  MemoryReading memory(long device, String uuid) {
    return memoryV2(device, uuid).orElseGet(() -> memoryV1(device, uuid));
  }

  private Optional<MemoryReading> memoryV2(long device, String uuid) {
    return calls.struct(
        "nvmlDeviceGetMemoryInfo_v2",
        uuid,
        MemoryV2.SIZE,
        out -> {
          new Pointer(out).setInt(MemoryV2.VERSION, MemoryV2.VERSION_VALUE);
          return optional.memoryV2.call(device, out);
        },
        m ->
            new MemoryReading(
                m.getLong(MemoryV2.TOTAL),
                m.getLong(MemoryV2.FREE),
                m.getLong(MemoryV2.USED),
                OptionalLong.of(m.getLong(MemoryV2.RESERVED))));
  }

  private MemoryReading memoryV1(long device, String uuid) {
    return calls.requiredStruct(
        "nvmlDeviceGetMemoryInfo",
        uuid,
        MemoryV1.SIZE,
        out -> CoreSymbols.nvmlDeviceGetMemoryInfo(device, out),
        m ->
            new MemoryReading(
                m.getLong(MemoryV1.TOTAL),
                m.getLong(MemoryV1.FREE),
                m.getLong(MemoryV1.USED),
                OptionalLong.empty()));
  }

  Optional<Utilization> utilization(long device, String uuid) {
    return calls.struct(
        "nvmlDeviceGetUtilizationRates",
        uuid,
        UtilizationRates.SIZE,
        out -> optional.utilization.call(device, out),
        u -> new Utilization(u.getInt(UtilizationRates.GPU), u.getInt(UtilizationRates.MEMORY)));
  }

  Optional<Long> powerMilliwatts(long device, String uuid) {
    return number("nvmlDeviceGetPowerUsage", uuid, device, optional.power)
        .map(Integer::toUnsignedLong);
  }

  Optional<Long> energyMillijoules(long device, String uuid) {
    return calls.struct(
        "nvmlDeviceGetTotalEnergyConsumption",
        uuid,
        Long.BYTES,
        out -> optional.energy.call(device, out),
        out -> out.getLong(0));
  }

  Optional<Integer> temperatureCelsius(long device, String uuid) {
    return number(
        "nvmlDeviceGetTemperature",
        uuid,
        device,
        (handle, out) -> optional.temperature.call(handle, CHIP, out));
  }

  Optional<Integer> temperatureLimit(long device, String uuid, TemperatureLimit limit) {
    return number(
        "nvmlDeviceGetTemperatureThreshold",
        uuid,
        device,
        (handle, out) -> optional.temperatureThreshold.call(handle, limit.code(), out));
  }

  Optional<long[]> cpuAffinity(long device, String uuid) {
    return calls.struct(
        "nvmlDeviceGetCpuAffinity",
        uuid,
        CPU_WORDS * Long.BYTES,
        out -> optional.cpuAffinity.call(device, CPU_WORDS, out),
        mask -> mask.getLongArray(0, CPU_WORDS));
  }

  Optional<ClocksEventReasons> clocksEventReasons(long device, String uuid) {
    return calls.struct(
        "nvmlDeviceGetCurrentClocksEventReasons",
        uuid,
        Long.BYTES,
        out -> optional.clocksEventReasons.call(device, out),
        out -> new ClocksEventReasons(out.getLong(0)));
  }

  Optional<EccMode> eccMode(long device, String uuid) {
    return twoNumbers(
        "nvmlDeviceGetEccMode",
        uuid,
        device,
        optional.eccMode,
        (current, pending) -> new EccMode(current != 0, pending != 0));
  }

  Optional<MigMode> migMode(long device, String uuid) {
    return twoNumbers(
        "nvmlDeviceGetMigMode",
        uuid,
        device,
        optional.migMode,
        (current, pending) -> new MigMode(current != 0, pending != 0));
  }

  int maxMigDevices(long device, String uuid) {
    return number("nvmlDeviceGetMaxMigDeviceCount", uuid, device, optional.maxMigDeviceCount)
        .orElse(0);
  }

  private Optional<Integer> number(String function, String uuid, long device, DeviceOut call) {
    return calls.struct(
        function, uuid, Integer.BYTES, out -> call.call(device, out), out -> out.getInt(0));
  }

  private <T> Optional<T> twoNumbers(
      String function,
      String uuid,
      long device,
      DeviceTwoOut call,
      BiFunction<Integer, Integer, T> make) {
    return calls.struct(
        function,
        uuid,
        2 * Integer.BYTES,
        out -> call.call(device, out, out + Integer.BYTES),
        out -> make.apply(out.getInt(0), out.getInt(Integer.BYTES)));
  }
}
