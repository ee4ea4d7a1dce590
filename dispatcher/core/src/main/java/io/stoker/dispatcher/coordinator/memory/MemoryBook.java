package io.stoker.dispatcher.coordinator.memory;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import io.stoker.dispatcher.model.MemoryRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Caches the store's measurements of memory and running time. A pass asks for the same again and
 * again, so what was read is good for some seconds; what this replica adds is seen at once.
 */
public final class MemoryBook {
  private static final int KEPT = 20_000;
  private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

  /** Most jobs have no equal that ran before, and they are most of those that are asked for. */
  private static final long NEVER_NANOS = Duration.ofSeconds(30).toNanos();

  /** Keys that are folded apart in one sweep, where all together fail. */
  private static final int APART = 1_000;

  private final Isolation<String> keys;
  private final Environment environment;
  private final Store store;
  private final MemoryRules rules;
  private final RunTimes times;
  private final Learning learning;
  private final Map<String, CachedEstimate> read =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, CachedEstimate> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * What was read of one key.
   *
   * @param estimate what follows, nothing if nothing was measured
   * @param untilNanos for how long that is good
   */
  private record CachedEstimate(Optional<Estimate> estimate, long untilNanos) {}

  /**
   * What is learned.
   *
   * @param learns whether anything is
   * @param rememberMs how long it is remembered after it was measured
   */
  public record Learning(boolean learns, long rememberMs) {}

  public MemoryBook(
      Environment environment,
      Store store,
      MemoryRules rules,
      RunTimes times,
      Learning learning,
      SetAsides asides) {
    keys = asides.isolation("memory", key -> key, this::fold);
    this.environment = environment;
    this.store = store;
    this.rules = rules;
    this.times = times;
    this.learning = learning;
  }

  /** What is expected of jobs; of those of which nothing is known there is no entry. */
  public Uni<Map<MemoryKeys, Estimate>> estimates(Transaction tx, Collection<MemoryKeys> jobs) {
    List<MemoryKeys> asked =
        learning.learns()
            ? jobs.stream().filter(MemoryKeys::learns).distinct().toList()
            : List.of();
    List<String> unknown =
        asked.stream().flatMap(job -> job.both().stream()).distinct().filter(this::stale).toList();
    return tx.memoryPeaks()
        .peaks(unknown)
        .map(found -> estimates(asked, remember(asked, unknown, found)));
  }

  private synchronized Map<MemoryKeys, Estimate> estimates(
      List<MemoryKeys> asked, Map<String, CachedEstimate> fresh) {
    Map<MemoryKeys, Estimate> estimates = new HashMap<>();
    for (MemoryKeys job : asked) {
      MemoryRules.better(estimate(job.equal(), fresh), estimate(job.like(), fresh))
          .ifPresent(known -> estimates.put(job, known));
    }
    return estimates;
  }

  private Optional<Estimate> estimate(String key, Map<String, CachedEstimate> fresh) {
    CachedEstimate known = fresh.getOrDefault(key, read.get(key));
    return known == null ? Optional.empty() : known.estimate();
  }

  private synchronized boolean stale(String key) {
    CachedEstimate known = read.get(key);
    return known == null || environment.nanos() - known.untilNanos() > 0;
  }

  /** Works out what follows from what was read, once for all who ask until it is read again. */
  private synchronized Map<String, CachedEstimate> remember(
      List<MemoryKeys> asked, List<String> unknown, Map<String, Peaks> found) {
    Map<String, CachedEstimate> fresh = new HashMap<>();
    Set<String> missing = new HashSet<>(unknown);
    for (MemoryKeys job : asked) {
      if (missing.remove(job.equal())) {
        fresh.put(job.equal(), read(job.of(), From.EQUAL_JOBS, found.get(job.equal())));
      }
      if (missing.remove(job.like())) {
        fresh.put(job.like(), read(job.of(), From.LIKE_JOBS, found.get(job.like())));
      }
    }
    // What was read anew is the newest entry again.
    read.keySet().removeAll(fresh.keySet());
    read.putAll(fresh);
    return fresh;
  }

  private CachedEstimate read(Of of, From from, Peaks peaks) {
    Optional<Estimate> estimate = rules.estimate(of, from, peaks == null ? Peaks.NONE : peaks);
    boolean never = estimate.isEmpty() && from == From.EQUAL_JOBS;
    return new CachedEstimate(estimate, environment.nanos() + (never ? NEVER_NANOS : FRESH_NANOS));
  }

  /** Of what a transaction has added nothing is known any more. */
  public synchronized void note(UnitOfWork committed) {
    for (MemoryRow row : committed.learned()) {
      read.remove(row.key());
    }
    committed.ran().forEach(one -> times.ran(one.profile(), one.ms()));
  }

  /** Folds what all replicas have added, and forgets what is old. */
  public Uni<Void> fold() {
    return keys.allOrApart(
        () ->
            store.transaction(
                "fold memory",
                tx ->
                    tx.now()
                        .chain(
                            now ->
                                tx.memoryPeaks()
                                    .fold()
                                    .chain(
                                        () ->
                                            tx.memoryPeaks().forget(now - learning.rememberMs())))),
        () -> store.read(tx -> tx.memoryPeaks().unfolded(APART)));
  }

  private Uni<Void> fold(List<String> some) {
    return store.transaction("fold memory", tx -> tx.memoryPeaks().fold(some));
  }
}
