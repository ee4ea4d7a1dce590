package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * short, or empty, and have another one behind it. For a text it is looked further, while that does
 * not take long.
 */
public final class RequestListing {
  /** And for a text, at most. */
  private static final int LOOKED_THROUGH = 100_000;

  /** After so long no more are looked at for a text: who asks waits, and can look further back. */
  private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();

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
   * @param looked how many were looked at, where those are not all and it has fewer than asked for
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
  public record Count(String value, long count, String newest) {}

  /**
   * Requests by what they have in a column.
   *
   * @param counts the most first, at most 200
   * @param more whether there are other values
   * @param whole whether all were looked at, not the newest 10,000 alone
   */
  public record Counts(List<Count> counts, boolean more, boolean whole) {}

  private record Counted(Count count, long looked) {}

  /** Counts those of the newest 10,000 that fit. */
  public static Uni<Counts> counts(StatelessSession session, Filter filter, Column column) {
    return RequestSearch.of(session, filter).chain(search -> counts(session, search, column));
  }

  private static Uni<Counts> counts(StatelessSession session, RequestSearch search, Column column) {
    Map<String, Object> parameters = new HashMap<>();
    String base = search.base(Optional.empty(), false, parameters);
    String loose = search.loose(parameters);
    parameters.put("window", RequestSearch.LOOKED_AT);
    parameters.put("most", MOST_VALUES + 1);
    // One row tells how many were looked at, whether any of them fits or not.
    String sql =
        "with w as ("
            + base
            + " limit :window) select cast(null as text), cast(0 as bigint), cast(null as text), count(*)"
            + " from w union all (select "
            + column.sql
            + ", count(*), (array_agg(w.id order by w.seq desc, w.id desc))[1], cast(0 as bigint) from w left join job j on j.id = w.job where "
            + loose
            + " group by 1 order by 2 desc, 1 limit :most)";
    return Queries.list(
            session,
            sql,
            parameters,
            row -> new Counted(new Count(row.text(), row.bigint(), row.text()), row.bigint()))
        .map(
            rows -> {
              long looked = rows.stream().mapToLong(Counted::looked).sum();
              List<Count> counts =
                  rows.stream().map(Counted::count).filter(one -> one.count() > 0).toList();
              boolean more = counts.size() > MOST_VALUES;
              return new Counts(
                  more ? counts.subList(0, MOST_VALUES) : counts,
                  more,
                  looked < RequestSearch.LOOKED_AT);
            });
  }

  private record Found(Place place, String user, String command, int priority) {
    static Found of(Row row) {
      return new Found(new Place(row.bigint(), row.text()), row.text(), row.text(), row.integer());
    }
  }

  private static final String FOUND =
      "w.seq, w.id, %s as usr, %s as command, %s as priority"
          .formatted(RequestColumns.USER, RequestColumns.COMMAND, RequestColumns.PRIORITY);

  /** One page of at most {@code limit} requests; fewer where they are large or rare. */
  public static Uni<Page> page(
      StatelessSession session, Filter filter, Order order, Optional<Place> after, int limit) {
    return RequestSearch.of(session, filter)
        .chain(
            search -> {
              if (order.by() != Sort.POSTED) {
                return sorted(session, search, order, after, limit);
              }
              Reader reader = new Reader(session, search, order, limit);
              return reader
                  .from(after, List.of(), 0)
                  .chain(step -> page(session, step.found(), step.end(), step.looked()));
            });
  }

  /**
   * So far.
   *
   * @param end the place behind which there may be more
   * @param looked how many were looked at, where there may be more
   */
  private record Step(List<Found> found, Optional<Place> end, OptionalInt looked) {}

  /** Finds what a page by arrival has. */
  private record Reader(
      StatelessSession session, RequestSearch search, Order order, int limit, long began) {
    Reader(StatelessSession session, RequestSearch search, Order order, int limit) {
      this(session, search, order, limit, System.nanoTime());
    }

    /**
     * @param before what was found before that place
     * @param looked how many were looked at before it
     */
    Uni<Step> from(Optional<Place> after, List<Found> before, int looked) {
      return step(after, limit - before.size())
          .chain(
              step -> {
                List<Found> all = Stream.concat(before.stream(), step.found().stream()).toList();
                if (all.size() == limit || step.end().isEmpty()) {
                  return Uni.createFrom().item(new Step(all, step.end(), OptionalInt.empty()));
                }
                int now = looked + RequestSearch.LOOKED_AT;
                boolean enough =
                    search.filter().text().isEmpty()
                        || now >= LOOKED_THROUGH
                        || System.nanoTime() - began > LONG_NANOS;
                return enough
                    ? Uni.createFrom().item(new Step(all, step.end(), OptionalInt.of(now)))
                    : from(step.end(), all, now);
              });
    }

    private Uni<Step> step(Optional<Place> after, int most) {
      return RequestListing.step(session, search, order, after, most);
    }
  }

  private static Uni<Step> step(
      StatelessSession session,
      RequestSearch search,
      Order order,
      Optional<Place> after,
      int limit) {
    Map<String, Object> parameters = new HashMap<>();
    String base = search.base(after, order.oldestFirst(), parameters);
    Map<String, Object> ofBase = new HashMap<>(parameters);
    String loose = search.loose(parameters);
    parameters.put("window", search.filter().isLoose() ? RequestSearch.LOOKED_AT : limit);
    parameters.put("most", limit);
    String found =
        "select %s from w left join job j on j.id = w.job where %s%s limit :most"
            .formatted(FOUND, loose, RequestSearch.inOrderOf("w", order.oldestFirst()));
    String sql =
        """
        with w as (%s limit :window), f as (%s)
        select %s, f.* from (values (0)) one left join f on true order by f.seq %4$s, f.id %4$s
        """
            .formatted(base, found, search.source().looked, order.oldestFirst() ? "asc" : "desc");
    return Queries.list(session, sql, parameters, LookedAt::of)
        .chain(
            rows -> {
              List<Found> some =
                  rows.stream().map(LookedAt::found).flatMap(Optional::stream).toList();
              if (some.size() == limit || !search.filter().isLoose()) {
                boolean last = some.size() < limit;
                return step(some, last ? Optional.empty() : Optional.of(some.getLast().place()));
              }
              return rows.getFirst().looked() < RequestSearch.LOOKED_AT
                  ? step(some, Optional.empty())
                  : end(session, base, ofBase).chain(end -> step(some, end));
            });
  }

  private static Uni<Step> step(List<Found> found, Optional<Place> end) {
    return Uni.createFrom().item(new Step(found, end, OptionalInt.empty()));
  }

  /**
   * One that fits; empty where none does.
   *
   * @param looked how many were looked at, or that many where that is not known
   */
  private record LookedAt(long looked, Optional<Found> found) {
    static LookedAt of(Row row) {
      long looked = row.bigint();
      Long seq = row.bigintOrNull();
      return new LookedAt(
          looked,
          seq == null
              ? Optional.empty()
              : Optional.of(
                  new Found(new Place(seq, row.text()), row.text(), row.text(), row.integer())));
    }
  }

  private record Fitting(Found found, long fit) {}

  /** The first of those that fit among as many as are looked at, which the next page is behind. */
  private static Uni<Page> sorted(
      StatelessSession session,
      RequestSearch search,
      Order order,
      Optional<Place> after,
      int limit) {
    Map<String, Object> parameters = new HashMap<>();
    String base = search.base(after, false, parameters);
    Map<String, Object> ofBase = new HashMap<>(parameters);
    String loose = search.loose(parameters);
    parameters.put("window", RequestSearch.LOOKED_AT);
    parameters.put("most", limit);
    String by = order.descending() ? "desc" : "asc";
    String sql =
        """
        with f as (
          select w.seq, w.id, %1$s as place
          from (%2$s limit :window) w left join job j on j.id = w.job where %3$s),
        p as (
          select f.seq, f.id, f.place, (select count(*) from f) as fit from f
          order by f.place %4$s nulls last, f.seq desc, f.id desc limit :most)
        select %5$s, p.fit
        from p cross join lateral (select * from request where id = p.id limit 1) w
        left join job j on j.id = w.job
        order by p.place %4$s nulls last, p.seq desc, p.id desc
        """
            .formatted(order.by().sql, base, loose, by, FOUND);
    return Queries.list(session, sql, parameters, row -> new Fitting(Found.of(row), row.bigint()))
        .chain(rows -> end(session, base, ofBase).chain(end -> sorted(session, rows, end)));
  }

  private static Uni<Page> sorted(
      StatelessSession session, List<Fitting> rows, Optional<Place> end) {
    List<Found> found = rows.stream().map(Fitting::found).toList();
    long fit = rows.isEmpty() ? 0 : rows.getFirst().fit();
    return entries(session, found)
        .map(
            entries ->
                new Page(
                    entries.shown(),
                    end,
                    OptionalLong.of(fit),
                    end.isPresent() && rows.isEmpty()
                        ? OptionalInt.of(RequestSearch.LOOKED_AT)
                        : OptionalInt.empty()));
  }

  /** Where the looking stopped, if it did not come to the end. */
  private static Uni<Optional<Place>> end(
      StatelessSession session, String base, Map<String, Object> parameters) {
    parameters.put("skipped", RequestSearch.LOOKED_AT - 1);
    if (base.contains(":window")) {
      parameters.put("window", RequestSearch.LOOKED_AT);
    }
    String sql = "select w.seq, w.id from (" + base + " offset :skipped limit 1) w";
    return Queries.list(session, sql, parameters, row -> new Place(row.bigint(), row.text()))
        .map(rows -> rows.stream().findFirst());
  }

  private static Uni<Page> page(
      StatelessSession session, List<Found> found, Optional<Place> last, OptionalInt looked) {
    return entries(session, found)
        .map(
            entries ->
                new Page(
                    entries.shown(),
                    entries.looked() == found.size()
                        ? last
                        : Optional.of(found.get(entries.looked() - 1).place()),
                    OptionalLong.empty(),
                    looked));
  }

  /**
   * As many as can be held at once.
   *
   * @param looked how many of those that were found
   */
  private record Entries(List<Entry> shown, int looked) {}

  private static Uni<Entries> entries(StatelessSession session, List<Found> found) {
    List<String> wanted = found.stream().map(one -> one.place().id()).toList();
    return StatusQueries.firstSlice(session, wanted)
        .chain(
            ids ->
                new StatusQueries(session)
                    .views(ids)
                    .map(
                        views ->
                            new Entries(inOrder(found.subList(0, ids.size()), views), ids.size())));
  }

  private static List<Entry> inOrder(List<Found> found, List<RequestStatus> views) {
    Map<String, RequestStatus> byId =
        views.stream().collect(Collectors.toMap(RequestStatus::id, Function.identity()));
    return found.stream()
        .map(one -> entry(byId.get(one.place().id()), one))
        .filter(Objects::nonNull)
        .toList();
  }

  private static Entry entry(RequestStatus status, Found found) {
    String command = found.command() == null || found.command().isEmpty() ? null : found.command();
    return status == null ? null : new Entry(status, found.user(), command, found.priority());
  }
}
