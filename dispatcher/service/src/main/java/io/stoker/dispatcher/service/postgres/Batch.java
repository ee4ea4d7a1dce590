package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.model.IdentityMap.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The columns of a table, each named once with how it is read and what is written there; and what
 * is written alone.
 *
 * <p>Writes many rows of one table in one statement, by {@code unnest} over one array a column.
 * That stands in a select list: in a from-clause Postgres would first write down what each array
 * holds, which takes a third of the insertion of a single row.
 *
 * <p>Of a table that is empty now and then Postgres may believe for long that it is: a plan of then
 * goes through the whole table for each row of the batch. So what is deleted, and what is changed
 * in such a table, is found by a way for which no belief matters: key by key through the index.
 */
final class Batch<R> {
  private record Computed(String name, String expression) {}

  /**
   * A statement about some of the columns.
   *
   * @param name unlike that of any other statement it may run with
   * @param parameters their names, by place
   */
  private record Plan<R>(
      String name, String sql, List<BatchColumn<R>> columns, List<String> parameters) {
    static <R> Plan<R> of(
        String name, List<BatchColumn<R>> columns, Function<List<BatchColumn<R>>, String> sql) {
      return new Plan<>(
          name,
          sql.apply(columns),
          columns,
          columns.stream().map(column -> column.parameter(name)).toList());
    }

    Write write(List<R> rows) {
      Map<String, Object[]> values = new HashMap<>();
      for (int place = 0; place < columns.size(); place++) {
        values.put(parameters.get(place), columns.get(place).valuesOf(rows));
      }
      return new Write(name, sql, values, rows.size());
    }
  }

  private final String table;
  private final String inserting;
  private final String updating;
  private final String deleting;
  private final Function<Row, R> map;

  /** Names of the columns that are read, in order. */
  private final List<String> read;

  /** Those that are written, the key's first. */
  private final List<BatchColumn<R>> columns;

  /** Columns of what is inserted that no value is given for, and where their contents come from. */
  private final List<Computed> computed = new ArrayList<>();

  // Sets of columns are those of their places whose bits are 1.

  /** Columns of which an update writes no others, the fewest first; with those of the key. */
  private final List<Long> together = new ArrayList<>();

  private long later;
  private String beside = "";
  private int keys;
  private boolean emptyNowAndThen;
  // Made at first use, and the same whoever makes them.
  private final Map<Long, Plan<R>> inserts = new ConcurrentHashMap<>();
  private final Map<Long, Plan<R>> updates = new ConcurrentHashMap<>();
  private volatile Plan<R> delete;

  /** Of a table whose rows are read in other ways, if at all. */
  Batch(String table) {
    this(table, 0, row -> null);
  }

  /**
   * @param keys how many of the columns are the key, which is named first
   * @param map names the columns of a row as it reads them, always the same ones in the same order
   */
  Batch(String table, int keys, Function<Row, R> map) {
    this.table = table;
    inserting = "ins_" + table;
    updating = "upd_" + table;
    deleting = "del_" + table;
    this.keys = keys;
    this.map = map;
    NamedColumns<R> named = new NamedColumns<>(table);
    map.apply(named);
    read = named.read;
    columns = named.written;
  }

  /** Begins a query that selects what {@link #map} reads. */
  String select(String alias) {
    return "select %s from %s %s ".formatted(columns(alias, Map.of()), table, alias);
  }

  /**
   * What {@link #map} reads, as it is selected.
   *
   * @param instead expressions for columns that are not selected as they are, by name
   */
  String columns(String alias, Map<String, String> instead) {
    return read.stream()
        .map(
            name ->
                instead.containsKey(name) ? instead.get(name) + " as " + name : alias + "." + name)
        .collect(Collectors.joining(", "));
  }

  /** Reads a row, or what is next of one. */
  R map(Row row) {
    return map.apply(row);
  }

  /** A column of the key: by it rows are found for updates and deletes, and put in order. */
  Batch<R> key(String name, String type, Function<R, Object> value) {
    keys++;
    return column(name, type, value);
  }

  Batch<R> column(String name, String type, Function<R, Object> value) {
    return add(new BatchColumn<>(name, BatchType.of(type), value));
  }

  private Batch<R> add(BatchColumn<R> column) {
    columns.add(column);
    return this;
  }

  /**
   * The table is empty now and then. Whoever changes its rows must hold a lock that guards them
   * since before they were read: rows are found as they were when the statement began.
   */
  Batch<R> emptyNowAndThen() {
    emptyNowAndThen = true;
    return this;
  }

  /**
   * A column whose content follows from a value.
   *
   * @param expression in which {@code u.name} is the value's text
   */
  Batch<R> derived(String name, String expression, Function<R, Object> value) {
    return add(new BatchColumn<>(name, BatchType.TEXT, expression, expression, value));
  }

  /**
   * Columns that are never emptied: an update leaves them as they are where there is no value.
   *
   * @param names with commas between them
   */
  Batch<R> kept(String names) {
    List<BatchColumn<R>> kept = of(listed(names));
    columns.replaceAll(column -> kept.contains(column) ? column.kept() : column);
    return this;
  }

  /**
   * Columns that change together: where no others do {@link #change} writes these alone. Such sets
   * are tried in the order in which they are given.
   *
   * @param names with commas between them
   */
  Batch<R> together(String names) {
    together.add(listed(names) | (1L << keys) - 1);
    return this;
  }

  /**
   * Columns, empty by default, that new rows seldom have: an insertion in which none has one leaves
   * them out. What a statement says of a row for nothing costs each process that it goes through.
   *
   * @param names with commas between them
   */
  Batch<R> later(String names) {
    later = listed(names);
    return this;
  }

  private long listed(String names) {
    Set<String> listed = Set.of(names.split(", "));
    long places = 0;
    for (int place = 0; place < columns.size(); place++) {
      places |= listed.contains(columns.get(place).name()) ? 1L << place : 0;
    }
    if (Long.bitCount(places) != listed.size()) {
      throw new IllegalArgumentException(table + " has not all of " + names);
    }
    return places;
  }

  private List<BatchColumn<R>> of(long places) {
    if (columns.size() > Long.SIZE) {
      throw new IllegalStateException(table + " has too many columns");
    }
    return IntStream.range(0, columns.size())
        .filter(place -> isAmong(places, place))
        .mapToObj(columns::get)
        .toList();
  }

  private static boolean isAmong(long places, int place) {
    return (places & 1L << place) != 0;
  }

  private long all() {
    return -1L >>> Long.SIZE - columns.size();
  }

  /**
   * A column that follows from the others, at insertion.
   *
   * @param expression in which {@code u.name} is a value
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

  /** For {@link #insert}: each row takes the place of the one that is there by its key. */
  String replacing() {
    String sets =
        columns.stream()
            .skip(keys)
            .map(column -> column.name() + " = excluded." + column.name())
            .collect(Collectors.joining(", "));
    return columns.stream()
        .limit(keys)
        .map(BatchColumn::name)
        .collect(Collectors.joining(", ", "(", ") do update set " + sets));
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
    long given = isGiven(later, rows) ? all() : all() & ~later;
    return inserts
        .computeIfAbsent(
            given, which -> Plan.of(inserting, of(which), some -> insertOf(some, conflict)))
        .write(rows);
  }

  private boolean isGiven(long places, List<R> rows) {
    for (int place = 0; place < columns.size(); place++) {
      if (isAmong(places, place) && columns.get(place).isGivenIn(rows)) {
        return true;
      }
    }
    return false;
  }

  private String insertOf(List<BatchColumn<R>> given, String conflict) {
    String order =
        columns.subList(0, keys).stream()
            .map(column -> "u." + column.name())
            .collect(Collectors.joining(", "));
    return "insert into %s (%s) select %s from %s%s order by %s%s"
        .formatted(
            table,
            inserted(given, BatchColumn::name, Computed::name),
            inserted(given, BatchColumn::content, Computed::expression),
            unnest(inserting, given),
            beside,
            order,
            conflict.isEmpty() ? "" : " on conflict " + conflict);
  }

  private String inserted(
      List<BatchColumn<R>> from,
      Function<BatchColumn<R>, String> given,
      Function<Computed, String> found) {
    return Stream.concat(from.stream().map(given), computed.stream().map(found))
        .collect(Collectors.joining(", "));
  }

  /** Overwrites all columns but the key's. */
  Write update(List<R> rows) {
    return update(rows, all());
  }

  /** Overwrites the columns that change, and those that do so {@link #together} with them. */
  Write change(List<Change<R>> changes) {
    long changed = changed(changes);
    return update(
        changes.stream().map(Change::after).toList(),
        together.stream().filter(some -> (changed & ~some) == 0).findFirst().orElseGet(this::all));
  }

  private long changed(List<Change<R>> changes) {
    long changed = 0;
    for (Change<R> change : changes) {
      for (int place = keys; place < columns.size(); place++) {
        if (!isAmong(changed, place) && columns.get(place).differs(change)) {
          changed |= 1L << place;
        }
      }
    }
    return changed;
  }

  private Write update(List<R> rows, long written) {
    return rows.isEmpty()
        ? Write.NOTHING
        : updates
            .computeIfAbsent(written, which -> Plan.of(updating, of(which), this::updateOf))
            .write(rows);
  }

  private String updateOf(List<BatchColumn<R>> written) {
    String sets =
        written.stream()
            .skip(keys)
            .map(column -> column.name() + " = " + column.update())
            .collect(Collectors.joining(", "));
    String rows = unnest(updating, written);
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
    if (delete == null) {
      delete = Plan.of(deleting, List.copyOf(columns.subList(0, keys)), this::deleteOf);
    }
    return delete.write(rows);
  }

  private String deleteOf(List<BatchColumn<R>> key) {
    return keys == 1
        ? "delete from %s t where t.%s = any(%s)"
            .formatted(table, key.getFirst().name(), key.getFirst().array(deleting))
        : "delete from %s t using %s where %s"
            .formatted(table, found(unnest(deleting, key)), found());
  }

  private static <R> String unnest(String prefix, List<BatchColumn<R>> of) {
    return of.stream()
        .map(column -> "unnest(%s) as %s".formatted(column.array(prefix), column.name()))
        .collect(Collectors.joining(", ", "(select ", ") u"));
  }

  private String keyMatch(String of, String operator) {
    return columns.subList(0, keys).stream()
        .map(column -> of + "." + column.name() + operator + column.content())
        .collect(Collectors.joining(" and "));
  }
}
