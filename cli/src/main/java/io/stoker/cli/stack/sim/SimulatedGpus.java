package io.stoker.cli.stack.sim;

import io.stoker.cli.stack.child.Unpacked;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The GPUs that a simulated driver shows of one host: a folder of small files, which can be changed
 * while the agent runs. Made anew at each start, with the same UUIDs.
 *
 * @param folder of the host's GPUs alone; what is in it goes
 */
public record SimulatedGpus(Path folder) {
  private static final long MEMORY = 16L << 30;

  /** Makes so many GPUs of 16 GiB. */
  public void make(String host, int count) throws IOException {
    Unpacked.delete(folder);
    for (int i = 0; i < count; i++) {
      Path gpu =
          Files.createDirectories(folder.resolve("gpu" + i).resolve("processes")).getParent();
      UUID uuid = UUID.nameUUIDFromBytes((host + " gpu " + i).getBytes(StandardCharsets.UTF_8));
      Map<String, String> files = new LinkedHashMap<>();
      files.put("name", "Stoker Simulated GPU");
      files.put("memory_total", Long.toString(MEMORY));
      files.put("minor", Integer.toString(i));
      files.put("pci", "0:%02x:00.0".formatted(i + 1));
      files.put("compute", "9 0");
      files.put("utilization", "0 0");
      files.put("temperature", "35");
      files.put("power_mw", "60000");
      files.put("ecc_errors", "0");
      files.put("xids", ""); // empty: a line, even a blank one, is an event
      // Last: what has a UUID is whole.
      files.put("uuid", "GPU-" + uuid);
      for (Map.Entry<String, String> file : files.entrySet()) {
        Files.writeString(gpu.resolve(file.getKey()), file.getValue());
      }
    }
  }

  /** What makes an agent see them. */
  public Map<String, String> environment(Path library) {
    return Map.of(
        "STOKER_FAKE_NVML",
        folder.toString(),
        "STOKER_AGENT_NVML_LIBRARY",
        library.toString(),
        // A mask of this shell is one of real GPUs.
        "STOKER_AGENT_CUDA_MASK",
        "ignore");
  }
}
