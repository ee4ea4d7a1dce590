package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.placement.SuspectRules;
import io.stoker.dispatcher.placement.Suspicion;
import io.stoker.dispatcher.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Records which jobs could not be started on which host since the last one started there. What
 * another replica adds is seen with the next sweep; so is, there, what this one has seen to start.
 */
public final class SuspectBook {
  private final Store store;
  private final SuspectRules rules;
  private final String fleet;
  private List<LaunchFailure> known = List.of();

  /** Hosts on which something has started, and what was known of them is to be forgotten. */
  private final Map<String, Long> started = new HashMap<>();

  /**
   * @param fleet hosts of others are placed nothing on
   */
  public SuspectBook(Store store, SuspectRules rules, String fleet) {
    this.store = store;
    this.rules = rules;
    this.fleet = fleet;
  }

  /** What is held against these hosts. */
  public synchronized Map<String, Suspicion> suspicions(Collection<HostRow> hosts, long now) {
    return rules.suspicions(known, hosts, now);
  }

  /** Hosts as they are to be placed by: none of another fleet, and as they are suspect. */
  public List<Host> apply(List<Host> all, List<HostRow> rows, List<AttemptRow> open, long now) {
    Map<String, String> foreign =
        rows.stream()
            .flatMap(row -> row.notOf(fleet).map(why -> Map.entry(row.id(), why)).stream())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    List<Host> ours =
        foreign.isEmpty()
            ? all
            : all.stream()
                .map(
                    host ->
                        foreign.containsKey(host.id())
                            ? host.unusable(foreign.get(host.id()))
                            : host)
                .toList();
    return SuspectRules.apply(ours, suspicions(rows, now), open);
  }

  /** Whether there is something to tell, or to hear that it is gone. */
  public synchronized boolean holdsAnything() {
    return !known.isEmpty() || !started.isEmpty();
  }

  /** Tells the others what was seen, and hears from them. */
  public Uni<Void> fold() {
    Map<String, Long> told = toTell();
    return store
        .transaction(
            "fold launch failures",
            tx ->
                tx.now()
                    .chain(now -> tx.launchFailures().forget(told, now - rules.windowMs()))
                    .chain(() -> tx.launchFailures().all()))
        .invoke(all -> folded(told, all))
        .replaceWithVoid();
  }

  private synchronized Map<String, Long> toTell() {
    return Map.copyOf(started);
  }

  private synchronized void folded(Map<String, Long> told, List<LaunchFailure> all) {
    told.forEach(started::remove);
    known = List.copyOf(all);
  }

  /** Notes what a transaction says that could not be started, and what was. */
  public synchronized void note(UnitOfWork committed) {
    List<LaunchFailure> failed = committed.launchFailures();
    boolean clears =
        known.stream().anyMatch(failure -> committed.launchedOn().contains(failure.host()));
    if (failed.isEmpty() && !clears) {
      return;
    }
    List<LaunchFailure> next = new ArrayList<>(known);
    for (String host : committed.launchedOn()) {
      if (next.removeIf(failure -> failure.host().equals(host))) {
        started.put(host, committed.now());
      }
    }
    next.addAll(failed);
    known = List.copyOf(next);
  }
}
