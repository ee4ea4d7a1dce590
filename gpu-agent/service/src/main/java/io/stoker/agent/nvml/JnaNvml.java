package io.stoker.agent.nvml;

import io.stoker.agent.gpu.ClocksEventReasons;
import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.DeviceLoad;
import io.stoker.agent.gpu.EccMode;
import io.stoker.agent.gpu.GpuIdentity;
import io.stoker.agent.gpu.HealthReading;
import io.stoker.agent.gpu.MemoryReading;
import io.stoker.agent.gpu.MigDevice;
import io.stoker.agent.gpu.MigMode;
import io.stoker.agent.gpu.NvLink;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlEvents;
import io.stoker.agent.gpu.NvmlVersions;
import io.stoker.agent.gpu.ProcessLoad;
import io.stoker.agent.gpu.TemperatureLimit;
import io.stoker.agent.gpu.TopologyLevel;
import io.stoker.agent.gpu.Utilization;
import io.stoker.agent.nvml.Layouts.Text;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** NVML through JNA, from a successful init to its shutdown. Handles live for one question. */
final class JnaNvml implements NvmlApi {
  private static final String MIG = "MIG-";

  private final OptionalSymbols optional;
  private final Calls calls = new Calls();
  private final DeviceQuestions questions;
  private final ProcessLists processes;
  private final ProcessLoadReader loads;
  private final HealthReader health;
  private final MigReader mig;
  private final TopologyReader topology;
  private final OpenGate gate;

  JnaNvml(OptionalSymbols optional, Runnable shutdown) {
    this.optional = optional;
    this.questions = new DeviceQuestions(optional, calls);
    this.processes = new ProcessLists(optional, calls);
    this.loads = new ProcessLoadReader(optional.processUtilization, calls);
    this.topology = new TopologyReader(optional, calls);
    this.health = new HealthReader(optional, questions, calls);
    this.mig = new MigReader(optional, questions, calls);
    this.gate = new OpenGate(shutdown);
  }

  @Override
  public NvmlVersions versions() {
    return gate.whileOpen(
        () ->
            new NvmlVersions(
                calls.text(
                    "nvmlSystemGetDriverVersion",
                    Calls.HOST,
                    Text.VERSION,
                    CoreSymbols::nvmlSystemGetDriverVersion),
                calls.text(
                    "nvmlSystemGetNVMLVersion",
                    Calls.HOST,
                    Text.VERSION,
                    CoreSymbols::nvmlSystemGetNVMLVersion),
                cudaVersion()));
  }

  /** NVML writes 12.4 as 12040. */
  private Optional<String> cudaVersion() {
    return calls.struct(
        "nvmlSystemGetCudaDriverVersion_v2",
        Calls.HOST,
        Integer.BYTES,
        optional.cudaDriverVersion::call,
        out -> out.getInt(0) / 1000 + "." + out.getInt(0) % 1000 / 10);
  }

  @Override
  public Set<String> missingFunctions() {
    return optional.missing();
  }

  @Override
  public int count() {
    return gate.whileOpen(
        () ->
            calls.requiredStruct(
                "nvmlDeviceGetCount_v2",
                Calls.HOST,
                Integer.BYTES,
                CoreSymbols::nvmlDeviceGetCount_v2,
                out -> out.getInt(0)));
  }

  @Override
  public String uuid(int index) {
    String subject = "GPU " + index;
    return gate.whileOpen(
        () -> {
          long device =
              calls.requiredStruct(
                  "nvmlDeviceGetHandleByIndex_v2",
                  subject,
                  Long.BYTES,
                  out -> CoreSymbols.nvmlDeviceGetHandleByIndex_v2(index, out),
                  out -> out.getLong(0));
          return questions.uuid(device, subject);
        });
  }

  @Override
  public GpuIdentity identity(String uuid) {
    return on(
        uuid,
        device ->
            new GpuIdentity(
                uuid,
                questions.name(device, uuid),
                optionalInt(() -> questions.minorNumber(device, uuid)),
                questions.pci(device, uuid),
                questions.computeCapability(device, uuid)));
  }

  @Override
  public DeviceLoad load(String uuid) {
    return on(
        uuid,
        device ->
            new DeviceLoad(
                processes.read(device, uuid),
                questions.memory(device, uuid),
                questions.utilization(device, uuid),
                optionalInt(() -> questions.temperatureCelsius(device, uuid)),
                optionalLong(() -> questions.powerMilliwatts(device, uuid))));
  }

  @Override
  public MemoryReading memory(String uuid) {
    return on(uuid, device -> questions.memory(device, uuid));
  }

  @Override
  public Optional<Utilization> utilization(String uuid) {
    return on(uuid, device -> questions.utilization(device, uuid));
  }

  @Override
  public Optional<List<ComputeProcess>> computeProcesses(String uuid) {
    return on(uuid, device -> processes.read(device, uuid));
  }

  @Override
  public Optional<List<ProcessLoad>> processLoads(String uuid, long sinceMicros) {
    return on(uuid, device -> loads.read(device, uuid, sinceMicros));
  }

  @Override
  public OptionalLong powerMilliwatts(String uuid) {
    return on(uuid, device -> optionalLong(() -> questions.powerMilliwatts(device, uuid)));
  }

  @Override
  public OptionalLong energyMillijoules(String uuid) {
    return on(uuid, device -> optionalLong(() -> questions.energyMillijoules(device, uuid)));
  }

  @Override
  public OptionalInt temperatureCelsius(String uuid) {
    return on(uuid, device -> optionalInt(() -> questions.temperatureCelsius(device, uuid)));
  }

  @Override
  public OptionalInt temperatureLimit(String uuid, TemperatureLimit limit) {
    return on(uuid, device -> optionalInt(() -> questions.temperatureLimit(device, uuid, limit)));
  }

  @Override
  public Optional<long[]> cpuAffinity(String uuid) {
    return on(
        uuid,
        device ->
            questions.cpuAffinity(
                uuid.startsWith(MIG) ? mig.gpuOf(device, uuid).orElse(device) : device, uuid));
  }

  @Override
  public Optional<ClocksEventReasons> clocksEventReasons(String uuid) {
    return on(uuid, device -> questions.clocksEventReasons(device, uuid));
  }

  @Override
  public Optional<EccMode> eccMode(String uuid) {
    return on(uuid, device -> questions.eccMode(device, uuid));
  }

  @Override
  public HealthReading health(String uuid) {
    return on(uuid, device -> health.read(device, uuid));
  }

  @Override
  public Optional<MigMode> migMode(String uuid) {
    return on(uuid, device -> questions.migMode(device, uuid));
  }

  @Override
  public List<MigDevice> migDevices(String gpuUuid) {
    return on(gpuUuid, gpu -> mig.read(gpu, gpuUuid));
  }

  @Override
  public Optional<TopologyLevel> topologyBetween(String first, String second) {
    return on(
        first,
        device -> topology.between(device, questions.handle(second), first + " and " + second));
  }

  @Override
  public List<NvLink> nvLinks(String uuid) {
    return on(uuid, device -> topology.links(device, uuid));
  }

  @Override
  public Optional<NvmlEvents> watch(Collection<String> uuids) {
    if (!optional.events) {
      return Optional.empty();
    }
    return gate.whileOpen(() -> Optional.of(EventReader.start(uuids, gate, questions, calls)));
  }

  @Override
  public void close() {
    gate.close();
  }

  private <T> T on(String uuid, LongFunction<T> question) {
    return gate.whileOpen(() -> question.apply(questions.handle(uuid)));
  }

  private static OptionalInt optionalInt(Supplier<Optional<Integer>> question) {
    return question.get().map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }

  private static OptionalLong optionalLong(Supplier<Optional<Long>> question) {
    return question.get().map(OptionalLong::of).orElseGet(OptionalLong::empty);
  }
}
