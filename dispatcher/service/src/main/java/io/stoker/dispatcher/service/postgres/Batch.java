package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.ledger.Rows.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes many rows of one table in one statement, by {@code unnest} over one text array a column.
 * Text arrays, because they are the one array type that every layer below binds alike; the cast to
 * the column's type costs little beside a round trip.
 *
 * <p>Of a table that is empty now and then Postgres may believe for long that it is: a plan of then
 * goes through the whole table for each row of the batch. So what is deleted, and what is changed
 * in such a table, is found by a way for which no belief matters: key by key through the index.
 */
final class Batch<R> {
  private static final String UPDATE = "upd_";

  private record Computed(String name, String expression) {}

  /**
   * A column.
   *
   * @param cast what its contents are, of {@code u.name}
   * @param update what they are after an update
   * @param seldom whether most updates leave it as it is
   */
  private record Column<R>(
      String name,
      String cast,
      String update,
      boolean seldom,
      Function<R, Object> value,
      Function<Object, String> text) {
    String textOf(R row) {
      Object found = value.apply(row);
      return found == null ? null : text.apply(found);
    }

    boolean differs(R one, R other) {
      return !Objects.equals(value.apply(one), value.apply(other));
    }
  }

  private final String table;
  private final List<Column<R>> columns = new ArrayList<>();

  /** Columns of what is inserted that no value is given for, and where their contents come from. */
  private final List<Computed> computed = new ArrayList<>();

  private String beside = "";
  private int keys;
  private boolean emptyNowAndThen;
  // Made at first use, and the same whoever makes them.
  private volatile String insert;
  private volatile String update;
  private volatile String usualUpdate;
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
    return derived(name, cast(name, type), value);
  }

  /**
   * The table is empty now and then. Whoever changes its rows must hold a lock that guards them
   * since before they were read: rows are found as they were when the statement began.
   */
  Batch<R> emptyNowAndThen() {
    emptyNowAndThen = true;
    return this;
  }

  private static String cast(String name, String type) {
    return "cast(u." + name + " as " + type + ")";
  }

  /**
   * A column whose content follows from a value.
   *
   * @param expression in which {@code u.name} is the value's text
   */
  Batch<R> derived(String name, String expression, Function<R, Object> value) {
    columns.add(new Column<>(name, expression, expression, false, value, Object::toString));
    return this;
  }

  /**
   * A column that is never emptied: an update leaves it as it is where there is no value for it.
   */
  Batch<R> kept(String name, String type, Function<R, Object> value) {
    columns.add(
        new Column<>(name, cast(name, type), kept(name, type), false, value, Object::toString));
    return this;
  }

  /** As {@link #kept}, of a column that most updates leave as it is. */
  Batch<R> seldomKept(String name, String type, Function<R, Object> value) {
    columns.add(
        new Column<>(name, cast(name, type), kept(name, type), true, value, Object::toString));
    return this;
  }

  private static String kept(String name, String type) {
    return "coalesce(%s, t.%s)".formatted(cast(name, type), name);
  }

  /** A column that most updates leave as it is: {@link #change} writes it only where it differs. */
  Batch<R> seldom(String name, String type, Function<R, Object> value) {
    return seldom(name, type, value, Object::toString);
  }

  /**
   * Such a column whose values are compared as they are, and only written as text.
   *
   * @param text of a value that is not null
   */
  <T> Batch<R> seldom(String name, String type, Function<R, T> value, Function<T, String> text) {
    @SuppressWarnings("unchecked") // it is given only what the other function made
    Function<Object, String> of = found -> text.apply((T) found);
    String cast = cast(name, type);
    columns.add(new Column<>(name, cast, cast, true, value::apply, of));
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
    if (update == null) {
      update = updateOf(columns);
    }
    return write(UPDATE + table, update, rows, columns);
  }

  /**
   * Overwrites the columns that change, and those that seldom do where one of them does: what a
   * statement says twice of a row costs each process that it goes through.
   */
  Write change(List<Change<R>> changes) {
    List<R> rows = changes.stream().map(Change::after).toList();
    boolean more =
        columns.stream()
            .filter(Column::seldom)
            .anyMatch(
                column ->
                    changes.stream()
                        .anyMatch(change -> column.differs(change.before(), change.after())));
    if (more || rows.isEmpty()) {
      return update(rows);
    }
    List<Column<R>> usual = columns.stream().filter(column -> !column.seldom()).toList();
    if (usualUpdate == null) {
      usualUpdate = updateOf(usual);
    }
    return write(UPDATE + table, usualUpdate, rows, usual);
  }

  private String updateOf(List<Column<R>> written) {
    String sets =
        written.stream()
            .skip(keys)
            .map(column -> column.name() + " = " + column.update())
            .collect(Collectors.joining(", "));
    String rows = unnest(UPDATE + table, written);
    return emptyNowAndThen
        ? "update %s t set %s from %s where %s".formatted(table, sets, found(rows), found())
        : "update %s t set %s from %s where %s".formatted(table, sets, rows, keyMatch("t", " = "));
  }

  /** The rows {@code u}, each with the place of the table's row of its key. */
  private String found(String rows) {
    return "(select u.*, f.ctid as place from %s cross join lateral (select x.ctid from %s x where %s limit 1) f) u"
        .formatted(rows, table, keyMatch("x", " = "));
  }

  /** By its place; that the key still is the same is no condition that an index could serve. */
  private String found() {
    return "t.ctid = u.place and " + keyMatch("t", " is not distinct from ");
  }

  /** Deletes the rows of these keys. */
  Write delete(List<R> rows) {
    if (rows.isEmpty()) {
      return Write.NOTHING;
    }
    String name = "del_" + table;
    List<Column<R>> key = columns.subList(0, keys);
    if (delete == null) {
      delete =
          keys == 1
              ? "delete from %s t where t.%s = any(%s)"
                  .formatted(table, key.getFirst().name(), array(name, key.getFirst()))
              : "delete from %s t using %s where %s"
                  .formatted(table, found(unnest(name, key)), found());
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
      values[i] = column.textOf(rows.get(i));
    }
    return values;
  }

  private static <R> String unnest(String prefix, List<Column<R>> of) {
    String arrays =
        of.stream().map(column -> array(prefix, column)).collect(Collectors.joining(", "));
    String names = of.stream().map(Column::name).collect(Collectors.joining(", "));
    return "unnest(" + arrays + ") as u(" + names + ")";
  }

  private static String array(String prefix, Column<?> column) {
    return "cast(:" + prefix + "_" + column.name() + " as text[])";
  }

  private String keyMatch(String of, String operator) {
    return columns.subList(0, keys).stream()
        .map(column -> of + "." + column.name() + operator + column.cast())
        .collect(Collectors.joining(" and "));
  }
}
