package io.stoker.dispatcher.intake;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRules;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.fairshare.Queues;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Decides whether a request may join its group, and as what. */
public final class GroupAdmission {
  private final Map<String, ExperimentRow> byName;
  private final Map<String, String> queues;

  /** Of groups that have no requests, or where no queue is kept apart from others. */
  public GroupAdmission(Collection<ExperimentRow> planned) {
    this(planned, Map.of());
  }

  /**
   * @param planned groups that have a plan
   * @param queues of the first request of each group that has one
   */
  public GroupAdmission(Collection<ExperimentRow> planned, Map<String, String> queues) {
    this.queues = new HashMap<>(queues);
    byName = planned.stream().collect(Collectors.toMap(ExperimentRow::name, Function.identity()));
  }

  /** No group has a plan. */
  public static GroupAdmission open() {
    return new GroupAdmission(List.of());
  }

  /** Whether a group has a plan. */
  public boolean plans(String group) {
    return byName.containsKey(group);
  }

  /** Why a request cannot be of its group: that is of a queue which is kept apart from its own. */
  Optional<String> whyApart(JobRequest request, Queues settings) {
    return request
        .group()
        .filter(group -> settings.apart(request.queue(), queues.get(group)))
        .map(
            group ->
                "group: %s, expected a group of requests that share with queue %s"
                    .formatted(group, request.queue()));
  }

  /** Remembers whose a group is that had no requests. */
  void entered(JobRequest request) {
    request.group().ifPresent(group -> queues.putIfAbsent(group, request.queue()));
  }

  private Optional<ExperimentRow> plan(JobRequest request) {
    return request.group().map(byName::get);
  }

  /** Why it is ended at once; nothing if it is not. */
  Optional<String> refusal(JobRequest request) {
    return plan(request).flatMap(ExperimentRules::refusal);
  }

  /** The request with what it has from its group. */
  JobRequest filled(JobRequest request) {
    Optional<Plan> plan = plan(request).map(ExperimentRow::plan);
    if (plan.isEmpty()) {
      return request;
    }
    Optional<List<String>> labels = labels(request, plan.get());
    Optional<Long> memory = memory(request, plan.get());
    Optional<Long> gpuMemory = gpuMemory(request, plan.get());
    if (labels.isEmpty() && memory.isEmpty() && gpuMemory.isEmpty()) {
      return request;
    }
    try {
      ObjectNode tree = (ObjectNode) Json.read(request.resolved().orElse(request.spec()));
      labels.ifPresent(given -> given.forEach(tree.putArray("resultLabels")::add));
      memory.ifPresent(bytes -> resources(tree).put("memory", bytes));
      gpuMemory.ifPresent(bytes -> resources(tree).put("gpuMemory", bytes));
      return RequestParser.resolved(tree, request.id(), request.spec());
    } catch (MalformedJson | RequestRefused e) {
      throw new IllegalStateException("an accepted request cannot be read: " + request.id(), e);
    }
  }

  private static Optional<List<String>> labels(JobRequest request, Plan plan) {
    return Optional.of(plan.resultLabels())
        .filter(given -> !given.isEmpty() && request.resultLabels().isEmpty());
  }

  private static Optional<Long> memory(JobRequest request, Plan plan) {
    return gated(request) && request.resources().memory().isEmpty()
        ? Optional.ofNullable(plan.memory())
        : Optional.empty();
  }

  private static Optional<Long> gpuMemory(JobRequest request, Plan plan) {
    return gated(request)
            && request.resources().gpus() > 0
            && request.resources().gpuMemory().isEmpty()
        ? Optional.ofNullable(plan.gpuMemory())
        : Optional.empty();
  }

  /** Only who waits for memory at gates needs to say how much: others are measured. */
  private static boolean gated(JobRequest request) {
    return request.staged() || request.resources().gates();
  }

  private static ObjectNode resources(ObjectNode tree) {
    return tree.path("resources") instanceof ObjectNode there ? there : tree.putObject("resources");
  }
}
