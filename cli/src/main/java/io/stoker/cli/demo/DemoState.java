package io.stoker.cli.demo;

import io.stoker.cli.status.Statuses;
import io.stoker.common.message.RequestStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The progress of the demo: what may be posted now, and the results so far. */
final class DemoState {
  private final List<DemoStep> steps;
  private final Set<String> posted = new HashSet<>();
  private final Statuses statuses = new Statuses();

  DemoState(List<DemoStep> steps) {
    this.steps = List.copyOf(steps);
  }

  List<DemoStep> steps() {
    return steps;
  }

  /** Steps that may be posted now and were not returned before. */
  List<DemoStep> takeDue() {
    List<DemoStep> due =
        steps.stream()
            .filter(step -> !posted.contains(step.id()))
            .filter(step -> step.postAfter().stream().allMatch(this::hasEnded))
            .toList();
    due.forEach(step -> posted.add(step.id()));
    return due;
  }

  /** Takes a status in; whether it was news. */
  boolean apply(RequestStatus status) {
    return posted.contains(status.id()) && statuses.apply(status);
  }

  Optional<RequestStatus> status(DemoStep step) {
    return statuses.of(step.id());
  }

  boolean isOver() {
    return steps.stream().allMatch(step -> hasEnded(step.id()));
  }

  /** What came out otherwise than expected, a line each; what has not ended counts. */
  List<String> surprises() {
    List<String> surprises = new ArrayList<>();
    for (DemoStep step : steps) {
      Optional<RequestStatus> end = status(step).filter(status -> status.state().terminal());
      List<String> differences =
          end.map(step::differences).orElseGet(() -> List.of("it has not ended"));
      if (!differences.isEmpty()) {
        surprises.add(step.id() + ": " + String.join("; ", differences));
      }
    }
    return surprises;
  }

  private boolean hasEnded(String id) {
    return statuses.of(id).filter(status -> status.state().terminal()).isPresent();
  }
}
