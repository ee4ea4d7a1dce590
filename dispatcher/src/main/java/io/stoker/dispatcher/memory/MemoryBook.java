package io.stoker.dispatcher.memory;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.config.StokerConfig;
import io.stoker.dispatcher.config.Wakes.Committed;
import io.stoker.dispatcher.ledger.MemoryRow;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.MemoryTable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * What was measured, as the database has it. A pass asks for the same again and again, so what was
 * read is good for some seconds; what this replica adds is seen at once.
 */
@ApplicationScoped
public class MemoryBook {
  private static final int KEPT = 20_000;
  private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

  private final Database database;
  private final MemoryRules rules;
  private final boolean learns;
  private final long rememberMs;
  private final Map<String, Read> read =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Read> eldest) {
          return size() > KEPT;
        }
      };

  private record Read(Peaks peaks, long atNanos) {}

  MemoryBook(Database database, MemoryRules rules, StokerConfig config) {
    this.database = database;
    this.rules = rules;
    learns = config.memory().learn();
    rememberMs = config.memory().remember().toMillis();
  }

  /** What is expected of jobs; of those of which nothing is known there is no entry. */
  public Uni<Map<MemoryKeys, Estimate>> estimates(
      StatelessSession session, Collection<MemoryKeys> jobs) {
    List<MemoryKeys> asked =
        learns ? jobs.stream().filter(MemoryKeys::learns).distinct().toList() : List.of();
    List<String> unknown =
        asked.stream().flatMap(job -> job.both().stream()).distinct().filter(this::stale).toList();
    return MemoryTable.peaks(session, unknown)
        .invoke(found -> remember(unknown, found))
        .map(found -> estimates(asked, found));
  }

  private synchronized Map<MemoryKeys, Estimate> estimates(
      List<MemoryKeys> asked, Map<String, Peaks> found) {
    Map<MemoryKeys, Estimate> estimates = new HashMap<>();
    for (MemoryKeys job : asked) {
      Optional<Estimate> estimate =
          rules.estimate(job.of(), peaks(job.equal(), found), peaks(job.like(), found));
      estimate.ifPresent(known -> estimates.put(job, known));
    }
    return estimates;
  }

  private Peaks peaks(String key, Map<String, Peaks> found) {
    Read known = read.get(key);
    return found.getOrDefault(key, known == null ? Peaks.NONE : known.peaks());
  }

  private synchronized boolean stale(String key) {
    Read known = read.get(key);
    return known == null || System.nanoTime() - known.atNanos() > FRESH_NANOS;
  }

  private synchronized void remember(List<String> asked, Map<String, Peaks> found) {
    long now = System.nanoTime();
    for (String key : asked) {
      read.remove(key);
      read.put(key, new Read(found.getOrDefault(key, Peaks.NONE), now));
    }
  }

  synchronized void note(@Observes Committed done) {
    for (MemoryRow row : done.ledger().learned()) {
      read.remove(row.key());
    }
  }

  /** Folds what all replicas have added, and forgets what is old. */
  public Uni<Void> fold() {
    return database
        .transaction(
            session ->
                Database.now(session)
                    .chain(
                        now ->
                            MemoryTable.fold(session)
                                .chain(() -> MemoryTable.forget(session, now - rememberMs))))
        .replaceWithVoid();
  }
}
