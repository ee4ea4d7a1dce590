package io.stoker.dispatcher.placement;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.MemoryRules;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What an agent is told that gets an attempt. */
public final class PlacementMessage {
  private PlacementMessage() {}

  /**
   * The message of a job of whose host memory nothing was measured.
   *
   * @param request the job's first
   * @param results of the request's dependencies by id, as far as they have one
   */
  public static ToAgent.Place of(
      AttemptRow attempt, JobRow job, JobRequest request, Map<String, JsonNode> results) {
    return of(attempt, job, request, results, Map.of(), null);
  }

  /**
   * The message.
   *
   * @param request the job's first
   * @param results of the request's dependencies by id, as far as they have one
   * @param ends of those that have a condition, by id
   * @param expected host memory that it is expected to take, null if nothing was measured
   */
  public static ToAgent.Place of(
      AttemptRow attempt,
      JobRow job,
      JobRequest request,
      Map<String, JsonNode> results,
      Map<String, RequestState> ends,
      Estimate expected) {
    Shape shape = Shape.parse(job.shape());
    return new ToAgent.Place(
        job.id(),
        attempt.number(),
        attempt.token(),
        attempt.notAfter(),
        request.id(),
        request.command(),
        request.params().orElse(null),
        request.env(),
        request.workdir().orElse(null),
        attempt.hostGpus(),
        memory(attempt, shape),
        shape.shared() && !job.ranOutOfGpuMemory(),
        attempt.cpuSlots(),
        attempt.gpus() > 0 ? shape.device() : null,
        job.avoid().on(attempt.host()),
        job.policy().timeoutMs(),
        request.group().orElse(null),
        request.dependsOn().stream()
            .map(id -> new ToAgent.DependencyResult(id, results.get(id), ends.get(id)))
            .toList(),
        request.staged() ? true : null,
        request.resources().gates() ? true : null,
        hostMemory(job, shape, expected),
        job.priority() == 0 ? null : job.priority(),
        request.workers().orElse(null),
        job.gang() == null ? null : new ToAgent.Gang(attempt.rank(), job.gang().size(), null),
        attempt.runner(),
        request.image().orElse(null),
        shape.nodeGpus() == 0 ? null : Integer.valueOf(shape.nodeGpus()),
        job.ahead() ? new ToAgent.LookAhead(job.queue()) : null);
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
            || job.failures().containsKey(FailureCategory.HOST_OOM);
    return promised ? Optional.of(MemoryKeys.ofHost(job.fingerprint(), request)) : Optional.empty();
  }

  private static Long hostMemory(JobRow job, Shape shape, Estimate expected) {
    int ranOut = job.failures().getOrDefault(FailureCategory.HOST_OOM, 0);
    OptionalLong bytes = MemoryRules.hostMemory(shape.memory(), expected, ranOut);
    return bytes.isPresent() ? Long.valueOf(bytes.getAsLong()) : null;
  }

  /** What it is promised where it shares, else what it asks for. */
  private static Long memory(AttemptRow attempt, Shape shape) {
    Long promised = attempt.gpuMemory();
    return promised == null || promised == 0 ? shape.gpuMemory() : promised;
  }
}
