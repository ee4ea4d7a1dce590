package io.stoker.cli.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.status.Statuses;
import io.stoker.cli.sweep.Sweep.Trial;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Tracks the requests of a sweep by their statuses. */
final class Trials {
  private final Map<String, ObjectNode> configurations = new LinkedHashMap<>();
  private final Statuses statuses = new Statuses();
  private final boolean max;

  /**
   * @param max whether the highest score is best
   */
  Trials(List<Trial> trials, boolean max) {
    trials.forEach(trial -> configurations.put(trial.id(), trial.configuration()));
    this.max = max;
  }

  /** One that is known. */
  record Known(RequestStatus status, ObjectNode configuration) {
    Optional<Double> score() {
      return Optional.ofNullable(status.score());
    }
  }

  /** Takes a status in; those of others are left out. */
  void know(RequestStatus status) {
    if (configurations.containsKey(status.id())) {
      statuses.apply(status);
    }
  }

  int total() {
    return configurations.size();
  }

  /** How many the dispatcher has taken in, or refused. */
  int arrived() {
    return (int) known().count();
  }

  int in(RequestState... states) {
    List<RequestState> wanted = List.of(states);
    return (int) known().filter(one -> wanted.contains(one.status().state())).count();
  }

  int done() {
    return (int) known().filter(one -> one.status().state().terminal()).count();
  }

  private Stream<Known> known() {
    return configurations.entrySet().stream()
        .flatMap(
            entry ->
                statuses.of(entry.getKey()).stream()
                    .map(status -> new Known(status, entry.getValue())));
  }

  /** Those that run, in order. */
  List<Known> running() {
    return known().filter(one -> one.status().state() == RequestState.RUNNING).toList();
  }

  /** Those with a score, the best first; of equals in order. */
  List<Known> best() {
    Comparator<Known> byScore = Comparator.comparingDouble(one -> one.score().orElseThrow());
    return known()
        .filter(one -> one.status().state() == RequestState.SUCCEEDED && one.score().isPresent())
        .sorted(max ? byScore.reversed() : byScore)
        .toList();
  }

  /** How far a job says that it is, 0 to 1. */
  static Optional<Double> progress(RequestStatus status) {
    JsonNode said = status.progress();
    if (said == null) {
      return Optional.empty();
    }
    if (said.isNumber()) {
      return Optional.of(said.asDouble());
    }
    return said.path("total").asDouble() > 0
        ? Optional.of(said.path("done").asDouble() / said.path("total").asDouble())
        : Optional.empty();
  }
}
