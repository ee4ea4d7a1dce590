package io.stoker.dispatcher.service.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.LaunchFailure;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.placement.SuspectRules;
import io.stoker.dispatcher.placement.Suspicion;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.config.Wakes.Committed;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.LaunchFailureTable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which jobs could not be started where, since something was. What another replica adds is seen
 * with the next sweep; so is, there, what this one has seen to start.
 */
@ApplicationScoped
public class SuspectBook {
  private final Database database;
  private final SuspectRules rules;
  private final String fleet;
  private List<LaunchFailure> known = List.of();

  /** Hosts on which something has started, and what was known of them is to be forgotten. */
  private final Map<String, Long> started = new HashMap<>();

  SuspectBook(Database database, SuspectRules rules, StokerConfig config) {
    this.database = database;
    this.rules = rules;
    fleet = config.fleet();
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
    return database
        .transaction(
            session ->
                Database.now(session)
                    .chain(now -> LaunchFailureTable.forget(session, told, now - rules.windowMs()))
                    .chain(() -> LaunchFailureTable.all(session)))
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

  synchronized void note(@Observes Committed done) {
    List<LaunchFailure> failed = done.ledger().launchFailures();
    boolean clears =
        known.stream().anyMatch(failure -> done.ledger().launchedOn().contains(failure.host()));
    if (failed.isEmpty() && !clears) {
      return;
    }
    List<LaunchFailure> next = new ArrayList<>(known);
    for (String host : done.ledger().launchedOn()) {
      if (next.removeIf(failure -> failure.host().equals(host))) {
        started.put(host, done.ledger().now());
      }
    }
    next.addAll(failed);
    known = List.copyOf(next);
  }
}
