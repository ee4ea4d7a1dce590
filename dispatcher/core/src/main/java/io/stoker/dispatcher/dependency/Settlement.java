package io.stoker.dispatcher.dependency;

import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.size.SendLimits;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.Input;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Tells the dependents of a request how it ended: when the last condition holds a dependent is
 * ready, the first that can no longer hold ends it at once. Settling a dependency removes its row,
 * so that doing it twice changes nothing.
 *
 * <p>The unit of work must hold the subject and its job, the dependency rows on it, the dependents,
 * and the jobs with a role for the fingerprints that dependents may get.
 */
public record Settlement(Binding binding, SendLimits limits) {
  /**
   * A dependent that may get ready.
   *
   * @param request as it was posted; null for one that has ended, and gets nothing
   * @param inputs what is known of its dependencies, by id
   */
  public record Dependent(JobRequest request, Map<String, Input> inputs) {
    /**
     * What it means, if it is to be shared at all. It is not if something of its dependencies was
     * not known yet when they were read, though they are settled now: a moment in which another
     * replica settled one; and if one was refused then, and has been accepted since.
     */
    public Optional<Meaning> meaning(Queues queues) {
      if (request == null) {
        return Optional.empty();
      }
      List<String> within = within();
      return within.contains(null) ? Optional.empty() : Meaning.of(request, within, queues);
    }

    private List<String> within() {
      List<String> within = new ArrayList<>();
      for (Dependency dependency : request.dependencies()) {
        Input input = inputs.get(dependency.id());
        within.add(input == null ? null : input.within(dependency));
      }
      return within;
    }

    private Dependency on(String subject) {
      return request.dependencies().stream()
          .filter(one -> one.id().equals(subject))
          .findFirst()
          .orElseThrow();
    }

    private long resultBytes() {
      return request.dependsOn().stream()
          .map(inputs::get)
          .filter(Objects::nonNull)
          .mapToLong(Input::resultBytes)
          .sum();
    }
  }

  /** By which it is told what a dependent means. */
  public Queues queues() {
    return binding.queues();
  }

  /** Settles the subject for those dependents of it whose dependency rows are held. */
  public void settle(UnitOfWork unit, String subject, Map<String, Dependent> dependents) {
    RequestState outcome = unit.stateOf(subject);
    if (!outcome.terminal()) {
      return;
    }
    for (DependencyRow edge : unit.dependencies().all()) {
      if (edge.dependsOn().equals(subject)) {
        unit.dependencies().remove(edge);
        RequestRow row = unit.requests().get(edge.dependent());
        if (row.waiting()) {
          settle(unit, row, subject, outcome, dependents.get(row.id()));
        }
      }
    }
  }

  /** Whose a refused request would have been is not known: where some are kept apart, nobody's. */
  private String rejection(UnitOfWork unit, String subject, RequestState outcome) {
    return outcome == RequestState.REJECTED && !queues().someApart()
        ? ", which was refused: " + unit.requests().get(subject).reason()
        : "";
  }

  /**
   * Ends what can no longer start. What was to follow a failure that did not come has not failed:
   * nobody needs it.
   */
  private RequestRow never(
      UnitOfWork unit, RequestRow row, Dependency dependency, RequestState outcome) {
    if (!dependency.conditional()) {
      String reason =
          "caused by failure of " + dependency.id() + rejection(unit, dependency.id(), outcome);
      return row.ended(RequestState.FAILED, Code.DEPENDENCY_FAILED, reason, unit.now());
    }
    String reason =
        "%s is %s, and this was to run only if it %s"
            .formatted(dependency.id(), outcome, dependency.condition().key());
    return row.ended(RequestState.CANCELLED, Code.CONDITION_NOT_MET, reason, unit.now());
  }

  private void settle(
      UnitOfWork unit, RequestRow row, String subject, RequestState outcome, Dependent dependent) {
    Dependency dependency = dependent.on(subject);
    String other = unit.requests().get(subject).queue();
    Optional<String> apart = queues().whyApart(row.queue(), subject, other);
    if (apart.isPresent()) {
      // Posted after this one had named its id: else this one was refused at admission.
      unit.requests()
          .put(row.ended(RequestState.FAILED, Code.DEPENDENCY_FAILED, apart.get(), unit.now()));
      unit.fanOut(FanOutRow.Kind.DEPENDENTS, row.id());
    } else if (!dependency.condition().metBy(outcome)) {
      unit.requests().put(never(unit, row, dependency, outcome));
      unit.fanOut(FanOutRow.Kind.DEPENDENTS, row.id());
    } else if (row.missing() > 1) {
      unit.requests().put(row.settled(row.missing() - 1));
      return;
    } else if (dependent.resultBytes() > limits.inputs()) {
      String reason =
          "the results of its %d dependencies have %d bytes together, expected at most %d"
              .formatted(
                  dependent.request().dependsOn().size(), dependent.resultBytes(), limits.inputs());
      unit.requests()
          .put(row.settled(0).ended(RequestState.FAILED, Code.TOO_LARGE, reason, unit.now()));
      unit.fanOut(FanOutRow.Kind.DEPENDENTS, row.id());
    } else {
      RequestRow bound =
          binding.bind(
              unit, row.settled(0), dependent.request(), dependent.meaning(binding.queues()));
      if (bound.cached()) {
        unit.fanOut(FanOutRow.Kind.DEPENDENTS, row.id());
      }
    }
    unit.stopTimer(TimerRow.Kind.DEPENDENCY_TIMEOUT, row.id());
    unit.publishDue(row.id());
  }
}
