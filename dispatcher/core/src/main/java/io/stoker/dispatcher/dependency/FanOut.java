package io.stoker.dispatcher.dependency;

import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.Input;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.StoredRequest;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What one chunk of a fan-out does, and what it needs to know. */
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
      Ledger ledger,
      Settlement settlement,
      FanOutRow.Key key,
      List<DependencyRow> edges,
      Map<String, Dependent> locked,
      int chunk) {
    boolean ended = hasEnded(ledger, key.subject());
    if (ended) {
      edges.stream()
          .filter(edge -> locked.containsKey(edge.dependent()))
          .forEach(ledger.dependencies()::load);
      settlement.settle(ledger, key.subject(), locked);
    }
    boolean all =
        edges.size() < chunk
            && edges.stream().allMatch(edge -> locked.containsKey(edge.dependent()));
    if (!ended || all) {
      ledger.fanOuts().remove(key);
    }
  }

  /** Whether a request has, which must be held with its job unless it was dropped. */
  public static boolean hasEnded(Ledger ledger, String subject) {
    return ledger.requests().find(subject).isPresent() && ledger.stateOf(subject).terminal();
  }

  /**
   * Drops the fan-outs of settled dependents on which nobody depends: of a thousand that are
   * answered at once, each would cost a transaction of its own. To be asked while the dependents
   * are locked: whoever comes to depend on one afterwards starts its fan-out.
   */
  public static void prune(Ledger ledger, Set<String> dependents, Collection<String> dependedOn) {
    dependents.stream()
        .filter(dependent -> !dependedOn.contains(dependent))
        .map(dependent -> new FanOutRow.Key(FanOutRow.Kind.DEPENDENTS, dependent))
        .forEach(ledger.fanOuts()::remove);
  }

  /**
   * Owes sharers of a job their statuses.
   *
   * @param sharers the next ones in order of id, at most {@code chunk}
   */
  public static void owe(Ledger ledger, FanOutRow row, List<String> sharers, int chunk) {
    sharers.forEach(ledger::publishDue);
    if (sharers.size() < chunk) {
      ledger.fanOuts().remove(row.key());
    } else {
      ledger.fanOuts().put(new FanOutRow(row.kind(), row.subject(), sharers.getLast()));
    }
  }
}
