package io.stoker.dispatcher.intake;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRules;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a request's group means for it when it arrives. */
public final class GroupDoor {
  private final Map<String, ExperimentRow> byName;

  /**
   * @param planned groups that have a plan
   */
  public GroupDoor(Collection<ExperimentRow> planned) {
    byName = planned.stream().collect(Collectors.toMap(ExperimentRow::name, Function.identity()));
  }

  /** No group has a plan. */
  public static GroupDoor open() {
    return new GroupDoor(List.of());
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
    List<String> labels = plan(request).map(row -> row.plan().resultLabels()).orElse(List.of());
    if (labels.isEmpty() || !request.resultLabels().isEmpty()) {
      return request;
    }
    try {
      ObjectNode tree = (ObjectNode) Json.read(request.resolved().orElse(request.spec()));
      ArrayNode array = tree.putArray("resultLabels");
      labels.forEach(array::add);
      return RequestParser.resolved(tree, request.id(), request.spec());
    } catch (MalformedJson | RequestRefused e) {
      throw new IllegalStateException("an accepted request cannot be read: " + request.id(), e);
    }
  }
}
