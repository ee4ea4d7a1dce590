package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Lists accepted requests, a page at a time. What no index knows is looked for, and sorted by, in
 * some thousand requests a page, so that a page costs no more however rare it is: it may then be
 * short, or empty, and have another one behind it. See {@link LookThrough}.
 */
public final class RequestListing {
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

    final String sql;

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

    final String sql;

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

  private static Uni<Page> sorted(
      StatelessSession session,
      RequestSearch search,
      Order order,
      Optional<Place> after,
      int limit) {
    return LookThrough.from(after, false, session, search, new Sorting(search, order, limit))
        .chain(
            seen ->
                entries(session, seen.found().first().stream().map(Sorting.Ranked::place).toList())
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
   * As many as can be held at once.
   *
   * @param looked how many of those that were found
   */
  private record Entries(List<Entry> shown, int looked) {}

  /**
   * What is shown of one beside its status.
   *
   * @param command null or empty if there is none
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
    return Queries.byKeyOf(
        session, SHOWN, ids, row -> new Shown(row.text(), row.text(), row.integer()));
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
    String command = shown.command() == null || shown.command().isEmpty() ? null : shown.command();
    return new Entry(status, shown.user(), command, shown.priority());
  }
}
