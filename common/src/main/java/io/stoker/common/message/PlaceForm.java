package io.stoker.common.message;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.message.Workload.Share;
import io.stoker.common.request.Resources;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A {@link ToAgent.Place} as JSON has it, which knows no kinds of workloads: null is what is not
 * said. {@link PlaceWriter} writes the same fields.
 */
final class PlaceForm {
  public String job;
  public int attempt;
  public String token;
  public long notAfter;
  public String request;
  public List<String> command;
  public JsonNode params;
  public Map<String, String> env;
  public String workdir;
  public String kind;
  public String queue;
  public String sentBy;
  public Map<String, String> secrets;
  public String network;
  public int gpus;
  public Long gpuMemory;
  public boolean shared;
  public int cpuSlots;
  public String device;
  public List<String> avoid;
  public Long timeoutMs;
  public String group;
  public List<ToAgent.DependencyResult> dependencies;
  public Boolean staged;
  public Boolean gated;
  public Long memory;
  public Integer priority;
  public String pool;
  public ToAgent.Gang gang;
  public String runner;
  public String image;
  public Integer nodeGpus;
  public Workload.LookAhead lookAhead;

  ToAgent.Place build() {
    return new ToAgent.Place(
        new ToAgent.Grant(job, attempt, token, notAfter),
        new ToAgent.Given(
            request,
            params == null || params.isNull() ? MissingNode.getInstance() : params,
            Optional.ofNullable(group),
            Objects.requireNonNullElse(dependencies, List.of())),
        timeoutMs,
        priority == null ? 0 : priority,
        gang,
        workload());
  }

  private Workload workload() {
    Program program =
        new Program(
            Objects.requireNonNullElse(command, List.of()),
            Objects.requireNonNullElse(env, Map.of()),
            Optional.ofNullable(workdir),
            Boolean.TRUE.equals(gated),
            bytes(memory),
            new Claim(
                Optional.ofNullable(kind),
                Optional.ofNullable(queue),
                Optional.ofNullable(sentBy),
                Objects.requireNonNullElse(secrets, Map.of()),
                Resources.NO_NETWORK.equals(network)));
    Share share = new Share(gpus(gpus), cpuSlots, Objects.requireNonNullElse(avoid, List.of()));
    if (pool != null) {
      return new Workload.PoolTask(pool, Optional.ofNullable(queue));
    } else if (Boolean.TRUE.equals(staged)) {
      return new Workload.Staged(program, share);
    } else if (runner == null) {
      return new Workload.Process(program, share, Optional.ofNullable(lookAhead));
    }
    return switch (runner) {
      case Workload.Container.TYPE -> new Workload.Container(image, program, share);
      case Workload.Passive.TYPE -> new Workload.Passive(program);
      default -> new Workload.Remote(runner, program, gpus(nodeGpus == null ? 0 : nodeGpus));
    };
  }

  private Gpus gpus(int count) {
    return new Gpus(count, bytes(gpuMemory), shared, Optional.ofNullable(device));
  }

  private static OptionalLong bytes(Long number) {
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }
}
