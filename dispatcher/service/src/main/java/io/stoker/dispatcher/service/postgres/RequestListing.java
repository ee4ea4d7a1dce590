package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Lists accepted requests, a page at a time. What no index knows is looked for, and sorted by, in
 * some thousand requests a page, so that a page costs no more however rare it is: it may then be
 * short, or empty, and have another one behind it. See {@link LookThrough}.
 */
public final class RequestListing {
  /** Different values that are told apart. */
  private static final int MOST_VALUES = 200;

  private RequestListing() {}

  /**
   * Which requests to list; what is empty does not matter.
   *
   * @param states one of these
   * @param queues in one of these
   * @param labels each of these, with its value
   * @param prefix of the id
   * @param kind as the request names it; {@code command} of one that names none
   * @param text somewhere in the id, the beginning of the command, or the reason, in any case
   * @param since arrived then or later, ms since 1970
   * @param until arrived before, ms since 1970
   * @param endedSince ended then or later, ms since 1970
   * @param code that their status has
   * @param failing live, with attempts that failed
   */
  public record Filter(
      Set<RequestState> states,
      Set<String> queues,
      Optional<String> group,
      Optional<String> host,
      Optional<String> user,
      Map<String, String> labels,
      Optional<String> prefix,
      Optional<String> kind,
      Optional<String> text,
      Optional<Long> since,
      Optional<Long> until,
      Optional<Long> endedSince,
      Optional<Code> code,
      boolean failing) {

    /** Whether only some of those that the index finds are wanted. */
    boolean isLoose() {
      return !states.isEmpty()
          || host.isPresent()
          || user.isPresent()
          || !labels.isEmpty()
          || prefix.isPresent()
          || kind.isPresent()
          || text.isPresent()
          || endedSince.isPresent()
          || code.isPresent()
          || failing;
    }

    /** Whether those are wanted that no host can ever serve. */
    boolean never() {
      return code.equals(Optional.of(Code.UNSATISFIABLE))
          && states.equals(Set.of(RequestState.QUEUED));
    }
  }

  /** A place in the list: the request that the next page comes behind. */
  public record Place(long seq, String id) {}

  /**
   * An entry.
   *
   * @param user who posted it, null if it does not say
   * @param command the beginning of its command in one line; of a kind without one, that
   */
  public record Entry(RequestStatus status, String user, String command, int priority) {}

  /**
   * A page.
   *
   * @param last the place behind which there may be more
   * @param fit of one that is sorted by another column than arrival: how many of those that were
   *     looked at fit
   * @param looked how many were looked at, where those are not all and it has fewer than asked for,
   *     or is sorted so
   */
  public record Page(
      List<Entry> requests, Optional<Place> last, OptionalLong fit, OptionalInt looked) {}

  /** What pages are sorted by, as a whole number. */
  public enum Sort {
    POSTED("w.seq"),
    STARTED(RequestColumns.STARTED),
    ENDED(RequestColumns.ENDED),
    /** How long its last attempt ran, or has run so far. */
    DURATION(RequestColumns.DURATION),
    ATTEMPTS(RequestColumns.ATTEMPTS),
    PRIORITY(RequestColumns.PRIORITY);

    private final String sql;

    Sort(String sql) {
      this.sql = sql;
    }
  }

  /** In which order; what has no value in the column comes last. */
  public record Order(Sort by, boolean descending) {
    public static final Order NEWEST_FIRST = new Order(Sort.POSTED, true);

    private boolean oldestFirst() {
      return by == Sort.POSTED && !descending;
    }
  }

  /** What requests are counted by. */
  public enum Column {
    STATE(RequestColumns.STATE),
    QUEUE("w.queue"),
    GROUP("w.grp"),
    KIND(RequestColumns.KIND),
    HOST("j.host"),
    USER(RequestColumns.USER),
    CODE(RequestColumns.CODE);

    private final String sql;

    Column(String sql) {
      this.sql = sql;
    }
  }

  /**
   * So many have this.
   *
   * @param value null of those that have none
   * @param newest id of the newest of them
   */
  public record Count(String value, long count, String newest) {
    /** Both together. */
    Count plus(Count older) {
      return new Count(value, count + older.count, newest);
    }
  }

  /**
   * Requests by what they have in a column.
   *
   * @param counts the most first, at most 200
   * @param more whether there are other values
   * @param whole whether all were looked at, and not the newest alone
   * @param looked how many were, where those are not all
   */
  public record Counts(List<Count> counts, boolean more, boolean whole, int looked) {}

  /** Counts those of the newest 10,000 that fit. */
  public static Uni<Counts> counts(StatelessSession session, Filter filter, Column column) {
    return RequestSearch.of(session, filter)
        .chain(
            search ->
                LookThrough.from(
                    Optional.empty(), false, session, search, new Counting(search, column)))
        .map(seen -> seen.found().counts(seen));
  }

  /** Those that fit, by a column. */
  private record Counted(Map<Optional<String>, Count> byValue) {
    Counts counts(LookThrough.Seen<Counted> seen) {
      List<Count> all =
          byValue.values().stream()
              .sorted(
                  Comparator.comparing(Count::count, Comparator.reverseOrder())
                      .thenComparing(Count::value, Comparator.nullsLast(Comparator.naturalOrder())))
              .toList();
      return new Counts(
          all.subList(0, Math.min(all.size(), MOST_VALUES)),
          all.size() > MOST_VALUES,
          seen.end().isEmpty(),
          seen.looked());
    }
  }

  private record Counting(RequestSearch search, Column column)
      implements LookThrough.Question<Counted> {
    private record Line(boolean fits, Count count, String oldest) {
      static Line of(Row row) {
        boolean fits = row.flag();
        String value = row.text();
        long count = row.bigint();
        String newest = RequestColumns.place(row.text()).orElseThrow().id();
        return new Line(fits, new Count(value, count, newest), row.text());
      }
    }

    @Override
    public Counted nothing() {
      return new Counted(Map.of());
    }

    @Override
    public Uni<LookThrough.Answer<Counted>> ask(
        StatelessSession session, String base, Map<String, Object> parameters, Counted before) {
      // Those that do not fit are counted, too: so it is known how many were looked at.
      String sql =
          """
          select fits, case when fits then value end, count(*), max(place), min(place) from (
            select (%1$s) is true as fits, %2$s as value, %3$s as place
            from (%4$s limit :window) w left join job j on j.id = w.job) one
          group by 1, 2
          """
              .formatted(search.loose(parameters), column.sql, RequestColumns.PLACE, base);
      return Queries.list(session, sql, parameters, Line::of)
          .map(
              lines -> {
                Map<Optional<String>, Count> all = new HashMap<>(before.byValue());
                lines.stream()
                    .filter(Line::fits)
                    .map(Line::count)
                    .forEach(one -> all.merge(Optional.ofNullable(one.value()), one, Count::plus));
                long looked = lines.stream().mapToLong(line -> line.count().count()).sum();
                return new LookThrough.Answer<>(
                    new Counted(all),
                    OptionalLong.of(looked),
                    lines.stream()
                        .map(Line::oldest)
                        .min(Comparator.naturalOrder())
                        .flatMap(RequestColumns::place));
              });
    }
  }

  /** One page of at most {@code limit} requests; fewer where they are large or rare. */
  public static Uni<Page> page(
      StatelessSession session, Filter filter, Order order, Optional<Place> after, int limit) {
    return RequestSearch.of(session, filter)
        .chain(
            search ->
                order.by() == Sort.POSTED
                    ? inOrder(session, search, order.oldestFirst(), after, limit)
                    : sorted(session, search, order, after, limit));
  }

  private static Uni<Page> inOrder(
      StatelessSession session,
      RequestSearch search,
      boolean oldestFirst,
      Optional<Place> after,
      int limit) {
    return LookThrough.from(
            after, oldestFirst, session, search, new Finding(search, oldestFirst, limit))
        .chain(
            seen -> entries(session, seen.found()).map(entries -> inOrder(seen, entries, limit)));
  }

  private static Page inOrder(LookThrough.Seen<List<Place>> seen, Entries entries, int limit) {
    List<Place> found = seen.found();
    boolean full = found.size() == limit;
    Optional<Place> last =
        entries.looked() < found.size() || full
            ? Optional.of(found.get(entries.looked() - 1))
            : seen.end();
    return new Page(
        entries.shown(),
        last,
        OptionalLong.empty(),
        full || seen.end().isEmpty() ? OptionalInt.empty() : OptionalInt.of(seen.looked()));
  }

  /** The first of those that fit, in order of arrival. */
  private record Finding(RequestSearch search, boolean oldestFirst, int limit)
      implements LookThrough.Question<List<Place>> {
    private record Line(Long looked, Optional<Place> last, Optional<Place> place) {
      static Line of(Row row) {
        return new Line(
            row.bigintOrNull(), RequestColumns.place(row.text()), RequestColumns.place(row.text()));
      }
    }

    @Override
    public List<Place> nothing() {
      return List.of();
    }

    @Override
    public Uni<LookThrough.Answer<List<Place>>> ask(
        StatelessSession session, String base, Map<String, Object> parameters, List<Place> before) {
      int wanted = limit - before.size();
      boolean loose = search.filter().isLoose();
      if (!loose) {
        parameters.put("window", wanted);
      }
      // How far it looked is asked only where it came to the end: else it stops before.
      String sql =
          """
          with w as (%1$s limit :window),
          f as (
            select %2$s as place from w left join job j on j.id = w.job
            where %3$s%4$s limit :most)
          select case when part.short then (select count(*) from w) end,
            case when part.short then (select %5$s(%2$s) from w) end, f.place
          from (select (select count(*) from f) < :most as short) part left join f on true
          order by f.place %6$s
          """
              .formatted(
                  base,
                  RequestColumns.PLACE,
                  search.loose(parameters),
                  RequestSearch.inOrderOf("w", oldestFirst),
                  oldestFirst ? "max" : "min",
                  oldestFirst ? "asc" : "desc");
      parameters.put("most", wanted);
      return Queries.list(session, sql, parameters, Line::of)
          .map(
              lines -> {
                List<Place> all =
                    Stream.concat(
                            before.stream(),
                            lines.stream().map(Line::place).flatMap(Optional::stream))
                        .toList();
                Line first = lines.getFirst();
                // All that an index finds were asked for.
                return first.looked() == null || !loose
                    ? LookThrough.Answer.full(all)
                    : new LookThrough.Answer<>(all, OptionalLong.of(first.looked()), first.last());
              });
    }
  }

  private static Uni<Page> sorted(
      StatelessSession session,
      RequestSearch search,
      Order order,
      Optional<Place> after,
      int limit) {
    return LookThrough.from(after, false, session, search, new Sorting(search, order, limit))
        .chain(
            seen ->
                entries(session, seen.found().first().stream().map(Ranked::place).toList())
                    .map(
                        entries ->
                            new Page(
                                entries.shown(),
                                seen.end(),
                                OptionalLong.of(seen.found().fit()),
                                seen.end().isEmpty()
                                    ? OptionalInt.empty()
                                    : OptionalInt.of(seen.looked()))));
  }

  /**
   * One that fits.
   *
   * @param value of the column, null if it has none
   */
  private record Ranked(Place place, Long value) {
    static Comparator<Ranked> by(Order order) {
      Comparator<Long> values = Comparator.naturalOrder();
      return Comparator.comparing(
              Ranked::value, Comparator.nullsLast(order.descending() ? values.reversed() : values))
          .thenComparing(
              Comparator.comparing((Ranked one) -> one.place().seq())
                  .thenComparing(one -> one.place().id())
                  .reversed());
    }
  }

  /** The first by a column, of so many that fit. */
  private record Best(List<Ranked> first, long fit) {}

  private record Sorting(RequestSearch search, Order order, int limit)
      implements LookThrough.Question<Best> {
    private record Line(long looked, Optional<Place> last, Optional<Ranked> ranked, long fit) {
      static Line of(Row row) {
        long looked = row.bigint();
        Optional<Place> last = RequestColumns.place(row.text());
        Optional<Place> place = RequestColumns.place(row.text());
        Long value = row.bigintOrNull();
        Long fit = row.bigintOrNull();
        return new Line(
            looked, last, place.map(one -> new Ranked(one, value)), fit == null ? 0 : fit);
      }
    }

    @Override
    public Best nothing() {
      return new Best(List.of(), 0);
    }

    @Override
    public Uni<LookThrough.Answer<Best>> ask(
        StatelessSession session, String base, Map<String, Object> parameters, Best before) {
      String sql =
          """
          with w as (%1$s limit :window),
          f as (
            select %2$s as place, cast(%3$s as bigint) as value, count(*) over () as fit
            from w left join job j on j.id = w.job where %4$s
            order by value %5$s nulls last, place desc limit :most)
          select one.looked, one.last, f.place, f.value, f.fit
          from (select count(*) as looked, min(%2$s) as last from w) one left join f on true
          """
              .formatted(
                  base,
                  RequestColumns.PLACE,
                  order.by().sql,
                  search.loose(parameters),
                  order.descending() ? "desc" : "asc");
      parameters.put("most", limit);
      return Queries.list(session, sql, parameters, Line::of)
          .map(
              lines ->
                  new LookThrough.Answer<>(
                      new Best(
                          Stream.concat(
                                  before.first().stream(),
                                  lines.stream().map(Line::ranked).flatMap(Optional::stream))
                              .sorted(Ranked.by(order))
                              .limit(limit)
                              .toList(),
                          before.fit() + lines.getFirst().fit()),
                      OptionalLong.of(lines.getFirst().looked()),
                      lines.getFirst().last()));
    }
  }

  /**
   * As many as can be held at once.
   *
   * @param looked how many of those that were found
   */
  private record Entries(List<Entry> shown, int looked) {}

  /**
   * What is shown of one beside its status.
   *
   * @param command empty if there is none
   */
  private record Shown(String user, String command, int priority) {}

  private static final String SHOWN =
      """
      select w.id, %s, %s, %s from unnest(cast(:keys as text[])) k(id)
      cross join lateral (select * from request where id = k.id limit 1) w
      left join job j on j.id = w.job
      """
          .formatted(RequestColumns.USER, RequestColumns.COMMAND, RequestColumns.PRIORITY);

  private static Uni<Entries> entries(StatelessSession session, List<Place> found) {
    List<String> wanted = found.stream().map(Place::id).toList();
    return StatusQueries.firstSlice(session, wanted)
        .chain(
            ids ->
                Uni.combine()
                    .all()
                    .unis(new StatusQueries(session).views(ids), shown(session, ids))
                    .with((views, shown) -> new Entries(inOrder(ids, views, shown), ids.size())));
  }

  private static Uni<Map<String, Shown>> shown(StatelessSession session, List<String> ids) {
    return Queries.listOf(
            session,
            SHOWN,
            ids,
            row -> Map.entry(row.text(), new Shown(row.text(), row.text(), row.integer())))
        .map(
            rows ->
                rows.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /** One that was deleted meanwhile is none any more. */
  private static List<Entry> inOrder(
      List<String> ids, List<RequestStatus> views, Map<String, Shown> shown) {
    Map<String, RequestStatus> byId =
        views.stream().collect(Collectors.toMap(RequestStatus::id, Function.identity()));
    return ids.stream()
        .filter(id -> byId.containsKey(id) && shown.containsKey(id))
        .map(id -> entry(byId.get(id), shown.get(id)))
        .toList();
  }

  private static Entry entry(RequestStatus status, Shown shown) {
    String command = shown.command().isEmpty() ? null : shown.command();
    return new Entry(status, shown.user(), command, shown.priority());
  }
}
