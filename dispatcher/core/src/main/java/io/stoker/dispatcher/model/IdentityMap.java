package io.stoker.dispatcher.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The rows of one table that a transaction holds, and what it changes in them: inserted, updated
 * and removed rows fall out of comparing what was loaded with what is there in the end.
 */
public final class IdentityMap<K, R> {
  private final Function<R, K> key;
  private final Map<K, R> loaded = new LinkedHashMap<>();
  private final Map<K, R> current = new LinkedHashMap<>();

  public IdentityMap(Function<R, K> key) {
    this.key = key;
  }

  /** Takes over a row as the database holds it. */
  public void load(R row) {
    loaded.put(key.apply(row), row);
    current.put(key.apply(row), row);
  }

  public void loadAll(Collection<R> rows) {
    rows.forEach(this::load);
  }

  public Optional<R> find(K wanted) {
    return Optional.ofNullable(current.get(wanted));
  }

  /** The row as the database held it. */
  public Optional<R> before(K wanted) {
    return Optional.ofNullable(loaded.get(wanted));
  }

  /**
   * The row, which the transaction must hold.
   *
   * @throws IllegalStateException if it was not loaded: a defect of whoever loads
   */
  public R get(K wanted) {
    return find(wanted)
        .orElseThrow(() -> new IllegalStateException("row not held by the transaction: " + wanted));
  }

  /** Inserts the row, or replaces the one of its key. */
  public void put(R row) {
    current.put(key.apply(row), row);
  }

  public void remove(K unwanted) {
    current.remove(unwanted);
  }

  public List<R> all() {
    return List.copyOf(current.values());
  }

  public List<R> inserted() {
    List<R> rows = new ArrayList<>();
    current.forEach(
        (k, row) -> {
          if (!loaded.containsKey(k)) {
            rows.add(row);
          }
        });
    return rows;
  }

  /** A row that the transaction changes. */
  public record Change<R>(R before, R after) {}

  public List<Change<R>> changes() {
    List<Change<R>> changes = new ArrayList<>();
    current.forEach(
        (k, row) -> {
          R before = loaded.get(k);
          if (before != null && before != row && !before.equals(row)) {
            changes.add(new Change<>(before, row));
          }
        });
    return changes;
  }

  public List<R> updated() {
    return changes().stream().map(Change::after).toList();
  }

  public List<K> removed() {
    return loaded.keySet().stream().filter(k -> !current.containsKey(k)).toList();
  }
}
