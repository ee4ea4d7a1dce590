package io.stoker.dispatcher.placement;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.Workload;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.message.Workload.Share;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takes;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Makes the message that gives an agent an attempt. */
public final class PlacementMessage {
  private PlacementMessage() {}

  /**
   * The message.
   *
   * @param request the job's first
   * @param sentBy who posted it, by the login
   * @param results of the request's dependencies by id, as far as they have one
   * @param ends of those that have a condition, by id
   * @param expected host memory that it is expected to take, null if nothing was measured
   */
  public static ToAgent.Place of(
      AttemptRow attempt,
      JobRow job,
      JobRequest request,
      Optional<String> sentBy,
      Map<String, JsonNode> results,
      Map<String, RequestState> ends,
      Estimate expected) {
    return new ToAgent.Place(
        new ToAgent.Grant(job.id(), attempt.number(), attempt.token(), attempt.notAfter()),
        new ToAgent.Given(
            request.id(),
            request.params().orElse(MissingNode.getInstance()),
            request.group(),
            request.dependsOn().stream()
                .map(id -> new ToAgent.DependencyResult(id, results.get(id), ends.get(id)))
                .toList()),
        job.asked().policy().timeoutMs(),
        job.asked().priority(),
        job.latest().gang() == null
            ? null
            : new ToAgent.Gang(attempt.rank(), job.latest().gang().size(), null),
        workload(attempt, job, request, sentBy, expected));
  }

  private static Optional<Workload.LookAhead> lookAhead(JobRow job) {
    return job.ahead()
        ? Optional.of(new Workload.LookAhead(job.asked().queue()))
        : Optional.empty();
  }

  private static Workload workload(
      AttemptRow attempt,
      JobRow job,
      JobRequest request,
      Optional<String> sentBy,
      Estimate expected) {
    if (request.workers().isPresent()) {
      return new Workload.PoolTask(request.workers().get(), Optional.of(request.queue()));
    }
    Shape shape = Shape.parse(job.asked().shape());
    Program program =
        new Program(
            request.command(),
            request.env(),
            request.workdir(),
            request.resources().gates(),
            hostMemory(job, request, shape, expected),
            claim(request, sentBy));
    Takes takes = attempt.takes();
    Gpus gpus =
        new Gpus(
            takes.gpus(),
            memory(attempt, shape),
            shape.shared() && !job.ranOutOfGpuMemory(),
            takes.gpus() > 0 ? Optional.ofNullable(shape.device()) : Optional.empty());
    if (takes instanceof Takes.Passive) {
      return new Workload.Passive(program);
    }
    if (takes instanceof Takes.Remote far) {
      return new Workload.Remote(far.runner(), program, gpus);
    }
    Share share = new Share(gpus, takes.cpuSlots(), job.setbacks().avoid().on(attempt.host()));
    return request.staged()
        ? new Workload.Staged(program, share)
        : request
            .image()
            .<Workload>map(image -> new Workload.Container(image, program, share))
            .orElseGet(() -> new Workload.Process(program, share, lookAhead(job)));
  }

  private static Claim claim(JobRequest request, Optional<String> sentBy) {
    return new Claim(
        Optional.of(request.kind()).filter(kind -> !kind.equals(JobRequest.COMMAND)),
        Optional.of(request.queue()),
        sentBy,
        request.secrets(),
        request.resources().offline());
  }

  /**
   * Under what more is known of the host memory that a job takes; nothing for one that is promised
   * none, since it neither says what it takes, nor waits at gates, nor has run out of it.
   */
  public static Optional<MemoryKeys> hostKeys(JobRow job, JobRequest request) {
    boolean promised =
        request.resources().memory().isPresent()
            || request.staged()
            || request.resources().gates()
            || job.setbacks().failures().containsKey(FailureCategory.HOST_OOM);
    return promised ? Optional.of(MemoryKeys.ofHost(job.fingerprint(), request)) : Optional.empty();
  }

  private static OptionalLong hostMemory(
      JobRow job, JobRequest request, Shape shape, Estimate expected) {
    int ranOut = job.setbacks().failures().getOrDefault(FailureCategory.HOST_OOM, 0);
    return request.image().isPresent()
        ? MemoryRules.containerMemory(shape.memory(), expected, ranOut)
        : MemoryRules.hostMemory(shape.memory(), expected, ranOut);
  }

  /** What it is promised where it shares, else what it asks for. */
  private static OptionalLong memory(AttemptRow attempt, Shape shape) {
    Long promised = attempt.takes().gpuMemory();
    Long bytes = promised == null || promised == 0 ? shape.gpuMemory() : promised;
    return bytes == null ? OptionalLong.empty() : OptionalLong.of(bytes);
  }
}
