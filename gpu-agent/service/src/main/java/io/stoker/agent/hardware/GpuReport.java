package io.stoker.agent.hardware;

import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.gpu.ClocksEventReasons;
import io.stoker.agent.gpu.GpuIdentity;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.gpu.NvmlVersions;
import io.stoker.agent.nvml.Nvml;
import io.stoker.agent.nvml.NvmlStart;
import io.stoker.agent.runner.Isolation;
import io.stoker.common.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Prints what NVML says of this machine, and what control groups an agent could have, as one JSON
 * object on standard output: for a person who looks for a fault, without an agent.
 */
public final class GpuReport {
  /** Makes the agent's program this one. */
  public static final String ARGUMENT = "gpus";

  private static final String PARENT = "STOKER_AGENT_CGROUPS_PARENT";

  private GpuReport() {}

  /**
   * The report.
   *
   * @param state READY, NO_GPU or FAILED
   * @param reason why it is not READY
   * @param missing functions that this NVML lacks
   * @param cgroups a sentence, null if that was not looked at
   * @param isolation what jobs can be kept from here, a sentence; null likewise
   */
  record Report(
      String state,
      String reason,
      Versions versions,
      List<String> missing,
      List<Gpu> gpus,
      String cgroups,
      String isolation) {
    private Report(
        String state, String reason, Versions versions, List<String> missing, List<Gpu> gpus) {
      this(state, reason, versions, missing, gpus, null, null);
    }

    private Report with(String groups, String kept) {
      return new Report(state, reason, versions, missing, gpus, groups, kept);
    }
  }

  /**
   * What is installed.
   *
   * @param cuda the newest that the driver runs, null if the library cannot say
   */
  record Versions(String driver, String nvml, String cuda) {}

  /**
   * One GPU.
   *
   * @param memory bytes
   * @param used bytes
   * @param temperature °C
   * @param slowed why its clocks are lower than they could be
   * @param trouble why it could not be asked
   */
  record Gpu(
      int index,
      String uuid,
      String model,
      Long memory,
      Long used,
      Integer temperature,
      String slowed,
      String trouble) {}

  /** Prints what the library says. */
  public static void print(String library) throws IOException {
    Optional<Path> parent = Optional.ofNullable(System.getenv(PARENT)).map(Path::of);
    String cgroups = GroupRules.outlook(parent, Path.of("/proc"));
    System.out.println(Json.text(of(Nvml.open(library)).with(cgroups, Isolation.outlook())));
  }

  static Report of(NvmlStart start) {
    return switch (start) {
      case NvmlStart.NoGpu none -> new Report("NO_GPU", none.reason(), null, List.of(), List.of());
      case NvmlStart.Failed failed ->
          new Report("FAILED", failed.reason(), null, List.of(), List.of());
      case NvmlStart.Ready ready -> {
        try (NvmlApi nvml = ready.api()) {
          yield read(nvml);
        } catch (NvmlException e) {
          yield new Report("FAILED", e.getMessage(), null, List.of(), List.of());
        }
      }
    };
  }

  private static Report read(NvmlApi nvml) {
    List<Gpu> gpus = new ArrayList<>();
    for (int index = 0; index < nvml.count(); index++) {
      gpus.add(gpu(nvml, index));
    }
    List<String> missing = nvml.missingFunctions().stream().sorted().toList();
    NvmlVersions versions = nvml.versions();
    return new Report(
        "READY",
        null,
        new Versions(versions.driver(), versions.nvml(), versions.cuda().orElse(null)),
        missing,
        gpus);
  }

  private static Gpu gpu(NvmlApi nvml, int index) {
    try {
      String uuid = nvml.uuid(index);
      GpuIdentity identity = nvml.identity(uuid);
      var memory = nvml.memory(uuid);
      var temperature = nvml.temperatureCelsius(uuid);
      return new Gpu(
          index,
          uuid,
          identity.name(),
          memory.total(),
          memory.used(),
          temperature.isPresent() ? temperature.getAsInt() : null,
          nvml.clocksEventReasons(uuid).map(GpuReport::slowed).orElse(null),
          null);
    } catch (NvmlException e) {
      return new Gpu(index, null, null, null, null, null, null, e.getMessage());
    }
  }

  /** Null if nothing slows it that should not. */
  private static String slowed(ClocksEventReasons reasons) {
    if (reasons.hardwareThermal() || reasons.softwareThermal()) {
      return "it is too hot";
    }
    if (reasons.powerBrake()) {
      return "the power supply asks for less";
    }
    return reasons.hardwareSlowdown() ? "the hardware slows it" : null;
  }
}
