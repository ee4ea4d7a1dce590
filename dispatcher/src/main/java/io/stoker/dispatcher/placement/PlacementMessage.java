package io.stoker.dispatcher.placement;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import java.util.Map;

/** What an agent is told that gets an attempt. */
public final class PlacementMessage {
  private PlacementMessage() {}

  /**
   * The message.
   *
   * @param request the job's first
   * @param results of the request's dependencies by id, as far as they have one
   */
  public static ToAgent.Place of(
      AttemptRow attempt, JobRow job, JobRequest request, Map<String, JsonNode> results) {
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
        attempt.gpus(),
        memory(attempt, shape),
        shape.shared() && !job.ranOutOfGpuMemory(),
        attempt.cpuSlots(),
        attempt.gpus() > 0 ? shape.device() : null,
        job.avoid().on(attempt.host()),
        job.policy().timeoutMs(),
        request.group().orElse(null),
        request.dependsOn().stream()
            .map(id -> new ToAgent.DependencyResult(id, results.get(id)))
            .toList(),
        request.staged() ? true : null,
        request.resources().gates() ? true : null,
        shape.memory(),
        job.priority() == 0 ? null : job.priority(),
        request.workers().orElse(null));
  }

  /** What it is promised where it shares, else what it asks for. */
  private static Long memory(AttemptRow attempt, Shape shape) {
    Long promised = attempt.gpuMemory();
    return promised == null || promised == 0 ? shape.gpuMemory() : promised;
  }
}
