package io.stoker.agent.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files by which dcgm-exporter ({@code --hpc-job-mapping-dir}) labels GPUs' metrics with jobs:
 * one a GPU, named by its index, with a job's id on each line. The folder belongs to this agent:
 * what an earlier one left is removed.
 */
public final class JobMapping {
  private static final Pattern NAME = Pattern.compile("\\d+(\\.\\d+)?");

  private final Path folder;
  private Map<String, List<String>> written = Map.of();

  /**
   * @param folder made if it is not there
   * @throws IOException naming it, if it cannot be written to
   */
  public JobMapping(Path folder) throws IOException {
    this.folder = folder;
    try {
      Files.createDirectories(folder);
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          if (NAME.matcher(file.getFileName().toString()).matches()) {
            Files.delete(file);
          }
        }
      }
      // Told at the start, and not with the first job.
      Files.delete(Files.createTempFile(folder, ".try", ""));
    } catch (IOException e) {
      throw new IOException("stoker.agent.job-mapping-dir: " + folder + " cannot be used: " + e, e);
    }
  }

  /**
   * Says which jobs are on which GPUs from now on. A reader sees the old lines or the new ones,
   * never a part.
   *
   * @param jobs by the GPU's index; those without any are left out
   */
  public void show(Map<String, List<String>> jobs) throws IOException {
    for (String gone : written.keySet()) {
      if (!jobs.containsKey(gone)) {
        Files.deleteIfExists(folder.resolve(gone));
      }
    }
    for (Map.Entry<String, List<String>> gpu : jobs.entrySet()) {
      if (!gpu.getValue().equals(written.get(gpu.getKey()))) {
        Path fresh = folder.resolve("." + gpu.getKey() + ".new");
        Files.write(fresh, gpu.getValue());
        Files.move(
            fresh,
            folder.resolve(gpu.getKey()),
            StandardCopyOption.ATOMIC_MOVE,
            StandardCopyOption.REPLACE_EXISTING);
      }
    }
    written = new HashMap<>(jobs);
  }
}
