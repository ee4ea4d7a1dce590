package io.stoker.agent.hardware;

import io.stoker.agent.attempt.JobsOnDevices;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.loop.AgentLoop;
import io.stoker.agent.metrics.JobMapping;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * Keeps the files by which dcgm-exporter labels GPUs with jobs. Its GPUs are numbered as NVML's
 * are; a job on a MIG device stands with the GPU that this is a part of.
 */
public final class JobLabels {
  private static final Logger LOG = Logger.getLogger(JobLabels.class);
  private static final long ANSWER_MS = 1_000;

  private final HostDevices devices;
  private final AgentLoop loop;
  private final JobMapping mapping;
  private Map<String, List<String>> shown = Map.of();

  public JobLabels(HostDevices devices, AgentLoop loop, JobMapping mapping) {
    this.devices = devices;
    this.loop = loop;
    this.mapping = mapping;
  }

  /** Shows what has changed since the last look. */
  public void look() {
    try {
      Map<String, List<String>> jobs =
          loop.ask(JobsOnDevices::of).get(ANSWER_MS, TimeUnit.MILLISECONDS);
      if (!jobs.equals(shown)) {
        mapping.show(byIndex(jobs));
        shown = jobs;
      }
    } catch (IOException | NvmlException e) {
      LOG.warn("the labels for dcgm-exporter cannot be written; the next look tries again", e);
    } catch (TimeoutException | ExecutionException e) {
      LOG.debug("the agent is busy or stops; the next look asks again", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Map<String, List<String>> byIndex(Map<String, List<String>> jobs) {
    Map<String, List<String>> byIndex = new HashMap<>();
    if (jobs.isEmpty() || devices.nvml().isEmpty()) {
      return byIndex;
    }
    Map<String, String> indices = indices(devices.nvml().get());
    jobs.forEach(
        (device, ids) -> {
          String index = indices.get(devices.uuid(device));
          if (index != null) {
            byIndex.computeIfAbsent(index, none -> new ArrayList<>()).addAll(ids);
          }
        });
    return byIndex;
  }

  /** By the UUID of each GPU, and of each offered part of one. */
  private Map<String, String> indices(NvmlApi nvml) {
    Map<String, String> indices = new HashMap<>();
    for (int index = 0; index < nvml.count(); index++) {
      try {
        String gpu = nvml.uuid(index);
        String name = Integer.toString(index);
        indices.put(gpu, name);
        devices.byGpu().getOrDefault(gpu, List.of()).forEach(part -> indices.put(part, name));
      } catch (NvmlException e) {
        LOG.debugf("GPU %d cannot be asked for its name: %s", index, e.getMessage());
      }
    }
    return indices;
  }
}
