package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.service.postgres.RequestListing.Filter;
import io.stoker.dispatcher.service.postgres.RequestListing.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Among which requests is looked for those that a filter wants, and what these fulfil, as parts of
 * a statement.
 */
record RequestSearch(Source source, Filter filter) {
  /** Requests that are looked at for a page, at most. */
  static final int LOOKED_AT = 10_000;

  /** And for a text. */
  private static final int LOOKED_THROUGH = 100_000;

  /** So many of them by one statement. */
  private static final int PART = 2_500;

  /** Texts that stand in a request's JSON as they are, so that it need not be read for those. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  private static final Set<RequestState> ON_HOSTS =
      Set.of(RequestState.PLACED, RequestState.RUNNING);

  /** They are few, and need not be looked for among all others. */
  private static final String WITH_ATTEMPTS =
      """
      select o.first_request from attempt a join job o on o.id = a.job union all
      select s.id from request s where s.attached and not s.cached
        and s.job in (select a.job from attempt a)""";

  /** Where requests are looked for. */
  enum Source {
    /** Also those of one queue or group, or of a time: by an index. */
    ALL(false),
    /** Those of some queues. */
    QUEUES(false),
    /** Those whose ids begin so. */
    FEW_IDS(false),
    FAILING(true),
    NEVER(true);

    /** Whether to find them takes as long for a part as for all. */
    final boolean costly;

    Source(boolean costly) {
      this.costly = costly;
    }
  }

  /** How many are looked at by one statement. */
  int part() {
    return source.costly ? LOOKED_AT : PART;
  }

  /** How many are looked at by all statements of a page. */
  int most() {
    return filter.text().isPresent() ? LOOKED_THROUGH : LOOKED_AT;
  }

  /** Where these are looked for. */
  static Uni<RequestSearch> of(StatelessSession session, Filter filter) {
    return source(session, filter).map(source -> new RequestSearch(source, filter));
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

  /**
   * Those among which is looked, by indexes alone, in order and without an end.
   *
   * @param after the place behind which they are; empty for all
   * @param parameters to which those of the text are added
   */
  String base(Optional<Place> after, boolean oldestFirst, Map<String, Object> parameters) {
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

  /** Where a request stands, and by what: its own end, or its job. */
  private static final String WAY =
      """
      case when w.ended is not null then 'ended ' || w.ended
        when j.id is null then 'WAITING'
        when j.state = 'PLACED' and j.host is null then 'job QUEUED' else 'job ' || j.state end""";

  private static final String ON_HOST =
      "(j.host = cast(:host as text) or position('\"' || cast(:host as text) || '\"' in coalesce(j.gang, '')) > 0)";

  private static final String LABELS =
      "coalesce(cast(w.spec as jsonb) -> 'labels', '{}') @> cast(cast(:labels as text) as jsonb)";

  private static final String FAILS =
      "w.ended is null and j.failures is not null and j.state not in " + RequestColumns.OVER;

  private static final String REASONS =
      " || ' ' || coalesce(w.reason, '') || ' ' || coalesce(j.reason, '')) ) > 0";

  private static final String TEXT =
      "position(lower(cast(:text as text)) in lower(w.id || ' ' || "
          + RequestColumns.COMMAND
          + REASONS;

  private static final String SOMEWHERE =
      "position(lower(cast(:text as text)) in lower(w.id || ' ' || w.spec || ' ' || coalesce(w.resolved, '')"
          + REASONS;

  /**
   * What only some of these fulfil, on requests {@code w} and jobs {@code j}. Nothing is said of
   * what is not wanted: each condition would be looked at for each of them.
   */
  String loose(Map<String, Object> parameters) {
    Conditions all = new Conditions(parameters);
    if (!filter.states().isEmpty()) {
      all.add(
          WAY + " = any(cast(:states as text[]))",
          "states",
          filter.states().stream().flatMap(RequestSearch::ways).toArray(String[]::new));
    }
    filter.prefix().ifPresent(prefix -> all.add("starts_with(w.id, :prefix)", "prefix", prefix));
    filter
        .user()
        .ifPresent(
            user -> {
              all.said("user", user);
              all.add(RequestColumns.USER + " = :user", "user", user);
            });
    filter.labels().forEach(all::said);
    if (!filter.labels().isEmpty()) {
      all.add(LABELS, "labels", Json.text(filter.labels()));
    }
    filter
        .kind()
        .ifPresent(
            kind -> {
              if (!kind.equals(RequestColumns.NO_KIND)) {
                all.said("kind", kind);
              }
              all.add(RequestColumns.KIND + " = :kind", "kind", kind);
            });
    filter.host().ifPresent(host -> all.add(ON_HOST, "host", host));
    filter
        .endedSince()
        .ifPresent(since -> all.add(RequestColumns.ENDED + " >= :endedSince", "endedSince", since));
    filter.code().ifPresent(code -> all.add(RequestColumns.CODE + " = :code", "code", code.name()));
    if (filter.failing()) {
      all.add(FAILS);
    }
    filter
        .text()
        .ifPresent(
            text -> {
              if (PLAIN.matcher(text).matches()) {
                all.add(SOMEWHERE);
              }
              all.add(TEXT, "text", text);
            });
    return all.text();
  }

  /** Conditions of which all are to hold, in the order in which they are looked at. */
  private static final class Conditions {
    private final Map<String, Object> parameters;
    private final List<String> all = new ArrayList<>();

    Conditions(Map<String, Object> parameters) {
      this.parameters = parameters;
    }

    void add(String condition) {
      all.add(condition);
    }

    void add(String condition, String name, Object value) {
      all.add(condition);
      parameters.put(name, value);
    }

    /** A request says this somewhere: to find that it does not takes less than to read its JSON. */
    void said(String name, String value) {
      if (PLAIN.matcher(name + value).matches()) {
        String parameter = "said" + all.size();
        add(
            "position(:%s in w.spec) > 0".formatted(parameter),
            parameter,
            "\"%s\":\"%s\"".formatted(name, value));
      }
    }

    String text() {
      return all.isEmpty() ? "true" : String.join(" and ", all);
    }
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

  static String inOrderOf(String alias, boolean oldestFirst) {
    return " order by %1$s.seq %2$s, %1$s.id %2$s".formatted(alias, oldestFirst ? "asc" : "desc");
  }
}
