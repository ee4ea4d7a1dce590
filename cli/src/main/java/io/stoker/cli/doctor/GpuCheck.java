package io.stoker.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.local.Home;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The driver, NVML and the GPUs, as the agent's own binding sees them. */
final class GpuCheck {
  private static final String DRIVER = "GPU driver";
  private static final String NVML = "NVML";
  private static final String LIBRARY = "libnvidia-ml.so.1";
  private static final String LIBRARY_VARIABLE = "STOKER_AGENT_NVML_LIBRARY";
  private static final int PATIENCE_SECONDS = 30;
  private static final double GIB = 1 << 30;

  private GpuCheck() {}

  static List<Finding> run(Path proc) throws InterruptedException {
    List<Finding> findings = new ArrayList<>();
    findings.add(driver(proc));
    try {
      JsonNode report = ask();
      findings.addAll(nvml(report, Files.exists(proc.resolve("driver/nvidia/version"))));
      findings.addAll(groups(report));
    } catch (CliException | IOException | MalformedJson e) {
      findings.add(Finding.warn(NVML, e.getMessage(), "build with ./mvnw -DskipTests package"));
    }
    return findings;
  }

  private static Finding driver(Path proc) {
    Path version = proc.resolve("driver/nvidia/version");
    try {
      return Finding.ok(DRIVER, Files.readAllLines(version).getFirst().strip());
    } catch (IOException | RuntimeException e) {
      return Finding.ok(DRIVER, "no NVIDIA driver: an agent here runs jobs on CPU slots");
    }
  }

  private static JsonNode ask() throws IOException, InterruptedException, MalformedJson {
    String library = System.getenv().getOrDefault(LIBRARY_VARIABLE, LIBRARY);
    List<String> command =
        JavaCommand.jar(
            List.of("-XX:TieredStopAtLevel=1"), Home.locate().agentJar(), List.of("gpus", library));
    Process probe =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try {
      if (!probe.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw CliException.failed("it does not answer within %d s".formatted(PATIENCE_SECONDS));
      }
      return Json.read(new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    } finally {
      probe.destroyForcibly();
    }
  }

  /** An agent does without, so whatever it says is well. */
  static List<Finding> groups(JsonNode report) {
    List<Finding> findings = new ArrayList<>();
    if (report.path("cgroups").isTextual()) {
      findings.add(Finding.ok("control groups", report.path("cgroups").textValue()));
    }
    if (report.path("isolation").isTextual()) {
      findings.add(Finding.ok("isolation", report.path("isolation").textValue()));
    }
    return findings;
  }

  /**
   * @param driverRuns whether the kernel has the driver
   */
  static List<Finding> nvml(JsonNode report, boolean driverRuns) {
    String reason = report.path("reason").asText();
    return switch (report.path("state").asText()) {
      case "READY" -> ready(report);
      case "NO_GPU" ->
          List.of(
              driverRuns
                  ? Finding.fail(
                      NVML,
                      reason,
                      "the driver is there and its library is not: install libnvidia-ml of the same"
                          + " version, or run the container with --gpus all")
                  : Finding.ok(NVML, reason));
      default ->
          List.of(
              Finding.fail(
                  NVML,
                  reason,
                  "nvidia-smi should say more; after a driver update reload the modules or"
                      + " reboot"));
    };
  }

  private static List<Finding> ready(JsonNode report) {
    List<Finding> findings = new ArrayList<>();
    JsonNode versions = report.path("versions");
    findings.add(
        Finding.ok(
            NVML,
            "%s, driver %s, CUDA up to %s"
                .formatted(
                    versions.path("nvml").asText(),
                    versions.path("driver").asText(),
                    versions.path("cuda").asText("unknown"))));
    report.path("gpus").forEach(gpu -> findings.add(gpu(gpu)));
    return findings;
  }

  private static Finding gpu(JsonNode gpu) {
    String name = "GPU " + gpu.path("index").asText();
    if (gpu.hasNonNull("trouble")) {
      return Finding.fail(
          name,
          gpu.path("trouble").asText(),
          "jobs are kept off it; look for Xid in the kernel's log, reset it or reboot");
    }
    String found =
        "%s, %.0f GiB, %.1f used, %s"
            .formatted(
                gpu.path("model").asText(),
                gpu.path("memory").asLong() / GIB,
                gpu.path("used").asLong() / GIB,
                gpu.path("uuid").asText());
    return gpu.hasNonNull("slowed")
        ? Finding.warn(name, found + ": slow, " + gpu.path("slowed").asText(), "see to its cooling")
        : Finding.ok(name, found);
  }
}
