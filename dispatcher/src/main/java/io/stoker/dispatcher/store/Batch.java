package io.stoker.dispatcher.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes many rows of one table in one statement, by {@code unnest} over one text array a column.
 * Text arrays, because they are the one array type that every layer below binds alike; the cast to
 * the column's type costs little beside a round trip.
 */
final class Batch<R> {
  private record Computed(String name, String expression) {}

  private record Column<R>(String name, String cast, Function<R, Object> value) {}

  private final String table;
  private final List<Column<R>> columns = new ArrayList<>();

  /** Columns of what is inserted that no value is given for, and where their contents come from. */
  private final List<Computed> computed = new ArrayList<>();

  private String beside = "";
  private int keys;
  // Made at first use, and the same whoever makes them.
  private volatile String insert;
  private volatile String update;
  private volatile String delete;

  Batch(String table) {
    this.table = table;
  }

  /** A column of the key: by it rows are found for updates and deletes, and put in order. */
  Batch<R> key(String name, String type, Function<R, Object> value) {
    keys++;
    return column(name, type, value);
  }

  Batch<R> column(String name, String type, Function<R, Object> value) {
    return derived(name, "cast(u." + name + " as " + type + ")", value);
  }

  /**
   * A column whose content follows from a value.
   *
   * @param expression in which {@code u.name} is the value's text
   */
  Batch<R> derived(String name, String expression, Function<R, Object> value) {
    columns.add(new Column<>(name, expression, value));
    return this;
  }

  /**
   * A column that follows from the others, at insertion.
   *
   * @param expression in which {@code u.name} is a value's text
   */
  Batch<R> computed(String name, String expression) {
    computed.add(new Computed(name, expression));
    return this;
  }

  /** What may follow the rows in the from-clause of an insertion: joins and windows. */
  Batch<R> beside(String clauses) {
    beside = " " + clauses;
    return this;
  }

  /**
   * Inserts rows.
   *
   * @param conflict what follows {@code on conflict}, or empty; the same at every call
   */
  Write insert(List<R> rows, String conflict) {
    if (rows.isEmpty()) {
      return Write.NOTHING;
    }
    String name = "ins_" + table;
    if (insert == null) {
      String order =
          columns.subList(0, keys).stream()
              .map(column -> "u." + column.name())
              .collect(Collectors.joining(", "));
      insert =
          "insert into %s (%s) select %s from %s%s order by %s%s"
              .formatted(
                  table,
                  inserted(Column::name, Computed::name),
                  inserted(Column::cast, Computed::expression),
                  unnest(name, columns),
                  beside,
                  order,
                  conflict.isEmpty() ? "" : " on conflict " + conflict);
    }
    return write(name, insert, rows, columns);
  }

  private String inserted(Function<Column<R>, String> given, Function<Computed, String> found) {
    return Stream.concat(columns.stream().map(given), computed.stream().map(found))
        .collect(Collectors.joining(", "));
  }

  /** Overwrites all columns but the key's. */
  Write update(List<R> rows) {
    if (rows.isEmpty()) {
      return Write.NOTHING;
    }
    String name = "upd_" + table;
    if (update == null) {
      String sets =
          columns.stream()
              .skip(keys)
              .map(column -> column.name() + " = " + column.cast())
              .collect(Collectors.joining(", "));
      update =
          "update %s t set %s from %s where %s"
              .formatted(table, sets, unnest(name, columns), keyMatch());
    }
    return write(name, update, rows, columns);
  }

  /** Deletes the rows of these keys. */
  Write delete(List<R> rows) {
    if (rows.isEmpty()) {
      return Write.NOTHING;
    }
    String name = "del_" + table;
    List<Column<R>> key = columns.subList(0, keys);
    if (delete == null) {
      delete = "delete from %s t using %s where %s".formatted(table, unnest(name, key), keyMatch());
    }
    return write(name, delete, rows, key);
  }

  private Write write(String name, String sql, List<R> rows, List<Column<R>> bound) {
    Map<String, String[]> parameters = new HashMap<>();
    for (Column<R> column : bound) {
      parameters.put(name + "_" + column.name(), values(rows, column));
    }
    return new Write(name, sql, parameters, rows.size());
  }

  private static <R> String[] values(List<R> rows, Column<R> column) {
    String[] values = new String[rows.size()];
    for (int i = 0; i < values.length; i++) {
      Object value = column.value().apply(rows.get(i));
      values[i] = value == null ? null : value.toString();
    }
    return values;
  }

  private static <R> String unnest(String prefix, List<Column<R>> of) {
    String arrays =
        of.stream()
            .map(column -> "cast(:" + prefix + "_" + column.name() + " as text[])")
            .collect(Collectors.joining(", "));
    String names = of.stream().map(Column::name).collect(Collectors.joining(", "));
    return "unnest(" + arrays + ") as u(" + names + ")";
  }

  private String keyMatch() {
    return columns.subList(0, keys).stream()
        .map(column -> "t." + column.name() + " = " + column.cast())
        .collect(Collectors.joining(" and "));
  }
}
