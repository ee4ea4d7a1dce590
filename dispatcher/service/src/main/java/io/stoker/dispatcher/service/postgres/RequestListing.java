package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.ledger.Arrival;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
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
  /** Requests that are looked at for a page. */
  private static final int LOOKED_AT = 10_000;

  /** And for a text, at most. */
  private static final int LOOKED_THROUGH = 100_000;

  /** After so long no more are looked at for a text: who asks waits, and can look further back. */
  private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();

  /** Texts that stand in a request's JSON as they are, so that it need not be read for those. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  /** Different values that are told apart. */
  private static final int MOST_VALUES = 200;

  private static final Set<RequestState> ON_HOSTS =
      Set.of(RequestState.PLACED, RequestState.RUNNING);

  /** They are few, and need not be looked for among all others. */
  private static final String WITH_ATTEMPTS =
      """
      select o.first_request from attempt a join job o on o.id = a.job union all
      select s.id from request s where s.attached and not s.cached
        and s.job in (select a.job from attempt a)""";

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
    return source(session, filter).chain(source -> counts(session, source, filter, column));
  }

  private static Uni<Counts> counts(
      StatelessSession session, Source source, Filter filter, Column column) {
    Map<String, Object> parameters = new HashMap<>();
    String base = base(source, filter, Optional.empty(), false, parameters);
    String loose = loose(filter, parameters);
    parameters.put("window", LOOKED_AT);
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
                  more ? counts.subList(0, MOST_VALUES) : counts, more, looked < LOOKED_AT);
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
    return source(session, filter)
        .chain(
            source -> {
              if (order.by() != Sort.POSTED) {
                return sorted(session, source, filter, order, after, limit);
              }
              Reader reader = new Reader(session, source, filter, order, limit);
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
      StatelessSession session, Source source, Filter filter, Order order, int limit, long began) {
    Reader(StatelessSession session, Source source, Filter filter, Order order, int limit) {
      this(session, source, filter, order, limit, System.nanoTime());
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
                int now = looked + LOOKED_AT;
                boolean enough =
                    filter.text().isEmpty()
                        || now >= LOOKED_THROUGH
                        || System.nanoTime() - began > LONG_NANOS;
                return enough
                    ? Uni.createFrom().item(new Step(all, step.end(), OptionalInt.of(now)))
                    : from(step.end(), all, now);
              });
    }

    private Uni<Step> step(Optional<Place> after, int most) {
      return RequestListing.step(session, source, filter, order, after, most);
    }
  }

  private static Uni<Step> step(
      StatelessSession session,
      Source source,
      Filter filter,
      Order order,
      Optional<Place> after,
      int limit) {
    Map<String, Object> parameters = new HashMap<>();
    String base = base(source, filter, after, order.oldestFirst(), parameters);
    Map<String, Object> ofBase = new HashMap<>(parameters);
    String loose = loose(filter, parameters);
    parameters.put("window", filter.isLoose() ? LOOKED_AT : limit);
    parameters.put("most", limit);
    String found =
        "select %s from w left join job j on j.id = w.job where %s%s limit :most"
            .formatted(FOUND, loose, inOrderOf("w", order.oldestFirst()));
    String sql =
        """
        with w as (%s limit :window), f as (%s)
        select %s, f.* from (values (0)) one left join f on true order by f.seq %4$s, f.id %4$s
        """
            .formatted(base, found, source.looked, order.oldestFirst() ? "asc" : "desc");
    return Queries.list(session, sql, parameters, LookedAt::of)
        .chain(
            rows -> {
              List<Found> some =
                  rows.stream().map(LookedAt::found).flatMap(Optional::stream).toList();
              if (some.size() == limit || !filter.isLoose()) {
                boolean last = some.size() < limit;
                return step(some, last ? Optional.empty() : Optional.of(some.getLast().place()));
              }
              return rows.getFirst().looked() < LOOKED_AT
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
      Source source,
      Filter filter,
      Order order,
      Optional<Place> after,
      int limit) {
    Map<String, Object> parameters = new HashMap<>();
    String base = base(source, filter, after, false, parameters);
    Map<String, Object> ofBase = new HashMap<>(parameters);
    String loose = loose(filter, parameters);
    parameters.put("window", LOOKED_AT);
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
                        ? OptionalInt.of(LOOKED_AT)
                        : OptionalInt.empty()));
  }

  private static String inOrderOf(String alias, boolean oldestFirst) {
    return " order by %1$s.seq %2$s, %1$s.id %2$s".formatted(alias, oldestFirst ? "asc" : "desc");
  }

  /** Where the looking stopped, if it did not come to the end. */
  private static Uni<Optional<Place>> end(
      StatelessSession session, String base, Map<String, Object> parameters) {
    parameters.put("skipped", LOOKED_AT - 1);
    if (base.contains(":window")) {
      parameters.put("window", LOOKED_AT);
    }
    String sql = "select w.seq, w.id from (" + base + " offset :skipped limit 1) w";
    return Queries.list(session, sql, parameters, row -> new Place(row.bigint(), row.text()))
        .map(rows -> rows.stream().findFirst());
  }

  /** Where requests are looked for. */
  private enum Source {
    /** Also those of one queue or group, or of a time: by an index. */
    ALL(false),
    /** Those of some queues. */
    QUEUES(false),
    /** Those whose ids begin so. */
    FEW_IDS(false),
    FAILING(true),
    NEVER(true);

    /** How many were looked at: counted where to ask once more would cost as much again. */
    private final String looked;

    Source(boolean costly) {
      looked = costly ? "(select count(*) from w)" : "cast(%d as bigint)".formatted(LOOKED_AT);
    }
  }

  private static Uni<Source> source(StatelessSession session, Filter filter) {
    if (filter.failing() || filter.never()) {
      return Uni.createFrom().item(filter.failing() ? Source.FAILING : Source.NEVER);
    }
    Source others =
        filter.queues().size() > 1 && filter.group().isEmpty() ? Source.QUEUES : Source.ALL;
    if (filter.prefix().isEmpty()) {
      return Uni.createFrom().item(others);
    }
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("most", LOOKED_AT);
    ids(filter, parameters);
    String sql = "select count(*) from (" + FEW_IDS + " limit :most) i";
    return Queries.single(session, sql, parameters, Row::bigint)
        .map(count -> count < LOOKED_AT ? Source.FEW_IDS : others);
  }

  /** Those that begin so, by their key. */
  private static final String FEW_IDS =
      "select i.id from request i where i.id >= :from and i.id < :before";

  /** What {@link #FEW_IDS} is asked with. */
  private static void ids(Filter filter, Map<String, Object> parameters) {
    String prefix = filter.prefix().orElseThrow();
    parameters.put("from", prefix);
    parameters.put("before", prefix + LAST);
  }

  /** No id has it. */
  private static final String LAST = Character.toString(Character.MAX_CODE_POINT);

  private static String base(
      Source source,
      Filter filter,
      Optional<Place> after,
      boolean oldestFirst,
      Map<String, Object> parameters) {
    List<String> conditions = new ArrayList<>(List.of("r.seq > 0"));
    boolean ofGroup = filter.group().isPresent();
    if (filter.queues().size() == 1) {
      String queue = filter.queues().iterator().next();
      conditions.add(ofGroup ? "r.queue = :queue" : BY_INDEX.formatted("queue", ":queue"));
      parameters.put("queue", queue);
    } else if (!filter.queues().isEmpty()) {
      if (source != Source.QUEUES) {
        conditions.add("r.queue = any(cast(:queues as text[]))");
      }
      parameters.put("queues", Queries.array(filter.queues()));
    }
    filter
        .group()
        .ifPresent(
            group -> {
              conditions.add(BY_INDEX.formatted("grp", ":grp"));
              parameters.put("grp", group);
            });
    filter
        .since()
        .ifPresent(
            ms -> {
              conditions.add("r.seq >= :since");
              parameters.put("since", Math.multiplyExact(ms, Arrival.PER_MS));
            });
    filter
        .until()
        .ifPresent(
            ms -> {
              conditions.add("r.seq < :until");
              parameters.put("until", Math.multiplyExact(ms, Arrival.PER_MS));
            });
    if (!filter.states().isEmpty() && ON_HOSTS.containsAll(filter.states())) {
      conditions.add("r.id in (" + WITH_ATTEMPTS + ")");
    }
    after.ifPresent(
        place -> {
          conditions.add(
              oldestFirst
                  ? "r.seq >= :seq and (r.seq > :seq or r.id > :id)"
                  : "r.seq <= :seq and (r.seq < :seq or r.id < :id)");
          parameters.put("seq", place.seq());
          parameters.put("id", place.id());
        });
    if (source == Source.FEW_IDS) {
      ids(filter, parameters);
    }
    String where = String.join(" and ", conditions);
    String by = oldestFirst ? "asc" : "desc";
    String first =
        ofGroup
            ? "r.grp %s, ".formatted(by)
            : filter.queues().size() == 1 || source == Source.QUEUES
                ? "r.queue %s, ".formatted(by)
                : "";
    String order = " order by %1$sr.seq %2$s, r.id %2$s".formatted(first, by);
    return "select r.seq, r.id, r.version, r.queue, r.grp, r.spec, r.resolved, r.ended, r.code, r.job,"
        + " r.reason, r.attached, r.cached, r.stop_requested, r.queued_at from "
        + switch (source) {
          case ALL -> "request r";
          case QUEUES -> OF_QUEUES.formatted(where, order);
          case FEW_IDS -> few(FEW_IDS);
          case FAILING -> few(LiveJobs.FAILING);
          case NEVER -> few(LiveJobs.NEVER);
        }
        + " where "
        + where
        + (source == Source.QUEUES ? inOrderOf("r", oldestFirst) : order);
  }

  /**
   * A column has a value, and {@code order by} begins with it: of an equality alone, and of a place
   * alone, the database would look for it among all, in the order of arrival.
   */
  private static final String BY_INDEX = "r.%1$s >= %2$s and r.%1$s <= %2$s";

  /** Of each queue as many as all of them may give, by its index. */
  private static final String OF_QUEUES =
      "unnest(cast(:queues as text[])) q(name) cross join lateral (select * from request r where "
          + BY_INDEX.formatted("queue", "q.name")
          + " and %s%s limit :window) r";

  /**
   * Those that are few are looked up each by itself: of how few they are the database knows
   * nothing, and would look for them among all.
   */
  private static String few(String ids) {
    return "(%s) few(id) cross join lateral (select * from request where id = few.id limit 1) r"
        .formatted(ids);
  }

  /** One text, whatever is wanted: statements are kept. */
  private static final String LOOSE =
      """
      (cardinality(cast(:states as text[])) = 0 or
        case when w.ended is not null then 'ended ' || w.ended
          when j.id is null then 'WAITING'
          when j.state = 'PLACED' and j.host is null then 'job QUEUED' else 'job ' || j.state end
        = any(cast(:states as text[])))
      and (cast(:host as text) = '' or j.host = cast(:host as text)
        or position('"' || cast(:host as text) || '"' in coalesce(j.gang, '')) > 0)
      and (cast(:user as text) = '' or %1$s = cast(:user as text))
      and (cast(:labels as text) = '{}' or
        coalesce(cast(w.spec as jsonb) -> 'labels', '{}') @> cast(cast(:labels as text) as jsonb))
      and starts_with(w.id, cast(:prefix as text))
      and (cast(:kind as text) = '' or %3$s = cast(:kind as text))
      and (cast(:text as text) = '' or case when cast(:plain as boolean) and position(
          lower(cast(:text as text)) in lower(w.id || ' ' || w.spec || ' ' || coalesce(w.resolved, '')
            || ' ' || coalesce(w.reason, '') || ' ' || coalesce(j.reason, ''))) = 0 then false
        else position(lower(cast(:text as text)) in
          lower(w.id || ' ' || %2$s || ' ' || coalesce(w.reason, '') || ' ' || coalesce(j.reason, '')))
          > 0 end)
      and (cast(:endedSince as bigint) < 0 or %4$s >= cast(:endedSince as bigint))
      and (cast(:code as text) = '' or %5$s = cast(:code as text))
      and (not cast(:failing as boolean) or (w.ended is null and j.failures is not null
        and j.state not in %6$s))"""
          .formatted(
              RequestColumns.USER,
              RequestColumns.COMMAND,
              RequestColumns.KIND,
              RequestColumns.ENDED,
              RequestColumns.CODE,
              RequestColumns.OVER);

  private static String loose(Filter filter, Map<String, Object> parameters) {
    if (!filter.isLoose()) {
      return "true";
    }
    parameters.put(
        "states", filter.states().stream().flatMap(RequestListing::ways).toArray(String[]::new));
    parameters.put("host", filter.host().orElse(""));
    parameters.put("user", filter.user().orElse(""));
    parameters.put("labels", Json.text(filter.labels()));
    parameters.put("prefix", filter.prefix().orElse(""));
    parameters.put("kind", filter.kind().orElse(""));
    parameters.put("text", filter.text().orElse(""));
    parameters.put("plain", filter.text().filter(PLAIN.asMatchPredicate()).isPresent());
    parameters.put("endedSince", filter.endedSince().orElse(-1L));
    parameters.put("code", filter.code().map(Code::name).orElse(""));
    parameters.put("failing", filter.failing());
    return LOOSE;
  }

  /** A request stands where it ended by itself, else where its job does, else it waits. */
  private static Stream<String> ways(RequestState state) {
    Stream<String> byJob =
        Arrays.stream(JobState.values())
            .filter(shown -> shown.shown() == state)
            .map(shown -> "job " + shown.name());
    Stream<String> byItself =
        state == RequestState.WAITING
            ? Stream.of("WAITING")
            : state.terminal() ? Stream.of("ended " + state.name()) : Stream.of();
    return Stream.concat(byJob, byItself);
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
