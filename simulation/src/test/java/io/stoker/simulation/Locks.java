package io.stoker.simulation;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Row locks, shared or exclusive, held from the reading of a transaction to its commit. */
final class Locks {
  private final Map<String, Set<Object>> shared = new HashMap<>();
  private final Map<String, Object> exclusive = new HashMap<>();
  private final Map<Object, Set<String>> held = new LinkedHashMap<>();

  /** Somebody else has the row: the transaction waits, here by beginning again a little later. */
  static final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1;

    Busy(String row) {
      super("row is locked: " + row, null, false, false);
    }
  }

  /** Of jobs that are held with others: here they are to be changed. */
  static final class TooWeak extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooWeak(String job) {
      super("a job is held with others and would be changed: " + job, null, false, false);
    }
  }

  void share(Object owner, String row) {
    Object other = exclusive.get(row);
    if (other != null && other != owner) {
      throw new Busy(row);
    }
    shared.computeIfAbsent(row, key -> new LinkedHashSet<>()).add(owner);
    held.computeIfAbsent(owner, key -> new LinkedHashSet<>()).add(row);
  }

  void lock(Object owner, String row) {
    if (!free(owner, row)) {
      throw new Busy(row);
    }
    exclusive.put(row, owner);
    held.computeIfAbsent(owner, key -> new LinkedHashSet<>()).add(row);
  }

  /** Whether nobody else holds the row in any way. */
  boolean free(Object owner, String row) {
    Object other = exclusive.get(row);
    Set<Object> sharers = shared.getOrDefault(row, Set.of());
    // At most this one: a set has each of them once.
    return (other == null || other == owner)
        && (sharers.isEmpty() || sharers.size() == 1 && sharers.contains(owner));
  }

  boolean holds(Object owner, String row) {
    return exclusive.get(row) == owner || shared.getOrDefault(row, Set.of()).contains(owner);
  }

  void release(Object owner) {
    Set<String> rows = held.remove(owner);
    if (rows == null) {
      return;
    }
    for (String row : rows) {
      exclusive.remove(row, owner);
      Set<Object> sharers = shared.get(row);
      if (sharers != null) {
        sharers.remove(owner);
        if (sharers.isEmpty()) {
          shared.remove(row);
        }
      }
    }
  }
}
