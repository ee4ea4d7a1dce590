package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.Experiment;
import io.stoker.common.message.GroupEstimates;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.PlanRefused;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;

/**
 * The body of a call that makes a group.
 *
 * @param id of the post: the same one twice makes one group; made up if null
 * @param after the group that has to end first; null for none
 * @param experiment makes it an experiment
 * @param estimates what its jobs are expected to take
 */
public record PostedGroup(
    String id, String after, Experiment experiment, GroupEstimates estimates) {
  private static final Set<String> FIELDS = Set.of("id", "after", "experiment", "estimates");
  private static final Set<String> OF_ESTIMATES = Set.of("memory", "gpuMemory");
  private static final Set<String> OF_EXPERIMENT =
      Set.of("objective", "parallel", "failure", "resultLabels", "earlyStopping");
  private static final Set<String> OF_STOPPING =
      Set.of("policy", "warmup", "steps", "factor", "finalStep");

  /** Reads a body; an empty one asks for a group and nothing else. */
  static PostedGroup read(byte[] body) {
    if (body == null || new String(body, StandardCharsets.UTF_8).isBlank()) {
      return new PostedGroup(null, null, null, null);
    }
    try {
      JsonNode tree = Bodies.tree(body);
      refuseUnknown(tree, "", FIELDS);
      refuseUnknown(tree.path("experiment"), "experiment.", OF_EXPERIMENT);
      refuseUnknown(tree.path("estimates"), "estimates.", OF_ESTIMATES);
      refuseUnknown(tree.at("/experiment/earlyStopping"), "experiment.earlyStopping.", OF_STOPPING);
      PostedGroup posted = Json.read(tree, PostedGroup.class);
      if (posted.id() != null && posted.id().isBlank()) {
        throw ApiException.badRequest("id", tree.path("id").toString(), "an id of the post's own");
      }
      return posted;
    } catch (MalformedJson e) {
      throw ApiException.malformed("group", e);
    }
  }

  private static void refuseUnknown(JsonNode object, String at, Set<String> known) {
    object
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name)) {
                throw ApiException.badRequest(
                    at + name, "unknown", String.join(", ", new TreeSet<>(known)));
              }
            });
  }

  boolean hasPlan() {
    return after != null || experiment != null || estimates != null;
  }

  Plan plan(String group) {
    try {
      return Plan.of(group, after, experiment).expecting(estimates);
    } catch (PlanRefused e) {
      throw ApiException.badRequest(e.field(), e.value(), e.expected());
    }
  }
}
