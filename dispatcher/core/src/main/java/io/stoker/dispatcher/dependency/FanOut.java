package io.stoker.dispatcher.dependency;

import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.Input;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The result of one chunk of a fan-out, and what it needs to know. */
public final class FanOut {
  private FanOut() {}

  /** The requests of these rows, of those that wait for something. */
  public static List<JobRequest> requests(List<RequestRow> rows) {
    return rows.stream().filter(RequestRow::waiting).map(StoredRequest::parse).toList();
  }

  /** Those of these rows that have ended: what is on its way to them is over. */
  public static Map<String, Dependent> over(List<RequestRow> rows) {
    return rows.stream()
        .filter(row -> !row.isPlaceholder() && !row.waiting())
        .collect(Collectors.toMap(RequestRow::id, row -> new Dependent(null, Map.of())));
  }

  /** Everything that these requests depend on. */
  public static Set<String> inputs(List<JobRequest> requests) {
    return requests.stream()
        .flatMap(request -> request.dependsOn().stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /**
   * The requests by id, with what is known of their {@link #inputs}.
   *
   * @param known by id
   */
  public static Map<String, Dependent> dependents(
      List<JobRequest> requests, Map<String, Input> known) {
    return requests.stream()
        .collect(Collectors.toMap(JobRequest::id, request -> new Dependent(request, known)));
  }

  /** What the dependents mean whose dependencies all have a fingerprint. */
  public static List<Meaning> meanings(Map<String, Dependent> dependents, Queues queues) {
    return dependents.values().stream()
        .map(one -> one.meaning(queues))
        .flatMap(Optional::stream)
        .toList();
  }

  /**
   * Settles the subject for these dependents. The fan-out of a request that has not ended is over,
   * for its end starts another; so is that of one that was dropped, on which nobody depends.
   *
   * @param edges what depends on the subject now, at most {@code chunk}
   * @param locked the dependents that the transaction holds: others are for the next chunk
   */
  public static void settle(
      UnitOfWork unit,
      Settlement settlement,
      FanOutRow.Key key,
      List<DependencyRow> edges,
      Map<String, Dependent> locked,
      int chunk) {
    boolean ended = hasEnded(unit, key.subject());
    if (ended) {
      edges.stream()
          .filter(edge -> locked.containsKey(edge.dependent()))
          .forEach(unit.dependencies()::load);
      settlement.settle(unit, key.subject(), locked);
    }
    boolean all =
        edges.size() < chunk
            && edges.stream().allMatch(edge -> locked.containsKey(edge.dependent()));
    if (!ended || all) {
      unit.fanOuts().remove(key);
    }
  }

  /** Whether a request has, which must be held with its job unless it was dropped. */
  public static boolean hasEnded(UnitOfWork unit, String subject) {
    return unit.requests().find(subject).isPresent() && unit.stateOf(subject).terminal();
  }

  /**
   * Drops the fan-outs of settled dependents on which nobody depends: of a thousand that are
   * answered at once, each would cost a transaction of its own. To be asked while the dependents
   * are locked: whoever comes to depend on one afterwards starts its fan-out.
   */
  public static void prune(UnitOfWork unit, Set<String> dependents, Collection<String> dependedOn) {
    dependents.stream()
        .filter(dependent -> !dependedOn.contains(dependent))
        .map(dependent -> new FanOutRow.Key(FanOutRow.Kind.DEPENDENTS, dependent))
        .forEach(unit.fanOuts()::remove);
  }

  /**
   * Owes sharers of a job their statuses.
   *
   * @param sharers the next ones in order of id, at most {@code chunk}
   */
  public static void owe(UnitOfWork unit, FanOutRow row, List<String> sharers, int chunk) {
    sharers.forEach(unit::publishDue);
    if (sharers.size() < chunk) {
      unit.fanOuts().remove(row.key());
    } else {
      unit.fanOuts().put(new FanOutRow(row.kind(), row.subject(), sharers.getLast()));
    }
  }
}
