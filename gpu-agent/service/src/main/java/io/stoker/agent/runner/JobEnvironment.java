package io.stoker.agent.runner;

import io.stoker.agent.device.Allocation;
import io.stoker.agent.staged.Said;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * The variables of a job's environment. Nothing of the agent's own passes but what is listed here.
 */
final class JobEnvironment {
  /** Marks every process of a run, wherever its session went. */
  static final String MARKER = "STOKER_TREE";

  /** Where it writes its result: in its folder. */
  static final String RESULT = "STOKER_RESULT";

  private static final Set<String> PASSED =
      Set.of(
          "PATH",
          "HOME",
          "USER",
          "LOGNAME",
          "SHELL",
          "LANG",
          "LANGUAGE",
          "LD_LIBRARY_PATH",
          "TZ",
          "TMPDIR",
          "JAVA_HOME",
          "CUDA_HOME",
          "CUDA_PATH");

  private JobEnvironment() {}

  /** The agent's variables that every job sees. */
  static Map<String, String> passed(Map<String, String> agent) {
    Map<String, String> passed = new TreeMap<>();
    agent.forEach(
        (name, value) -> {
          if (PASSED.contains(name) || name.startsWith("LC_")) {
            passed.put(name, value);
          }
        });
    return passed;
  }

  /**
   * What a job gets beyond {@link #passed}. The request's own come first: they cannot replace what
   * Stoker says of the run and its devices.
   */
  static Map<String, String> own(
      RunSpec spec, Allocation allocation, RunFiles files, String marker) {
    Map<String, String> own = new LinkedHashMap<>(spec.program().env());
    spec.gang().ifPresent(gang -> GangEnvironment.of(gang).forEach(own::putIfAbsent));
    own.put(MARKER, marker);
    own.put("STOKER_REQUEST_ID", Objects.requireNonNullElse(spec.given().request(), ""));
    own.put("STOKER_JOB_ID", spec.key().stem());
    own.put("STOKER_ATTEMPT", Integer.toString(spec.key().number()));
    spec.gang().ifPresent(gang -> own.putAll(GangEnvironment.stoker(gang)));
    own.put("STOKER_PARAMS", files.params().toString());
    own.put(RESULT, files.result().toString());
    own.put("STOKER_DEPENDENCIES", files.dependencies().toString());
    own.put("STOKER_GROUP", files.group().toString());
    if (spec.staged()) {
      own.put("STOKER_STAGES", Integer.toString(Said.VERSION));
    }
    own.put("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    own.put("CUDA_VISIBLE_DEVICES", allocation.cudaVisibleDevices());
    own.put("NVIDIA_VISIBLE_DEVICES", allocation.cudaVisibleDevices());
    return own;
  }
}
