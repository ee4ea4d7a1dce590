package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.placement.QueueHead;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The queries that only people ask for. */
public final class ApiQueries {
  private ApiQueries() {}

  /** The requests that started these jobs, by job. */
  public static Uni<Map<String, String>> firstRequests(
      StatelessSession session, Collection<String> jobs) {
    String sql = "select j.id, j.first_request from job j where j.id = any(cast(:keys as text[]))";
    return Queries.byKeyOf(session, sql, jobs, Row::text);
  }

  /** Whether equals of a fingerprint are answered with a result. */
  public static Uni<Boolean> remembered(StatelessSession session, String fingerprint) {
    String sql =
        "select j.id from job j where j.fingerprint = :fingerprint and j.role = 1 and j.state ="
            + " 'SUCCEEDED'";
    return Queries.list(session, sql, Map.of("fingerprint", fingerprint), Row::text)
        .map(rows -> !rows.isEmpty());
  }

  /**
   * Where the output of a request is found: of its job, or of that which answered it.
   *
   * @param job null while it has none
   * @param arrival of the first request, ms since 1970: no output is older
   * @param members how many write it, each on a host of its own: 1 but for gangs
   * @param silent whether it has ended and no last chunk comes: it was never placed, or its last
   *     attempt printed nothing
   */
  public record Output(
      String job,
      long arrival,
      JobState state,
      int attempt,
      boolean over,
      int members,
      boolean silent) {}

  /** Nothing for an unknown id. */
  public static Uni<Optional<Output>> output(StatelessSession session, String request) {
    String sql =
        "select j.id, coalesce(j.seq, r.seq), coalesce(j.state, 'QUEUED'), coalesce(j.attempt, 0),"
            + " r.ended is not null, j.shape, coalesce(cast(j.usage as json) ->> 'silent', 'false')"
            + " = 'true' from request r left join job b on b.id = r.job left join job j on j.id ="
            + " coalesce(cast(b.answered_by as json) ->> 'job', b.id) where r.id = :id and r.spec"
            + " is not null";
    return Queries.first(session, sql, Map.of("id", request), ApiQueries::output);
  }

  /**
   * Where an attempt of a job was placed.
   *
   * @param at ms since 1970; of a plain job's only one that is over, when it began to run
   */
  public record Placed(int attempt, int rank, String host, long at) {}

  /** All of a job that are known still. */
  public static Uni<List<Placed>> placed(StatelessSession session, String job) {
    String sql =
        "select a.number, a.rank, a.host, a.placed_at from attempt a where a.job = :job"
            + " union all select p.number, p.rank, p.host, p.placed_at from past_attempt p where"
            + " p.job = :job union all select j.attempt, 0, j.host, j.ended_at -"
            + " coalesce(cast(cast(j.usage as json) ->> 'wallMs' as bigint), 0) from job j where"
            + " j.id = :job and j.host is not null and j.ended_at is not null and not exists"
            + " (select 1 from past_attempt p where p.job = j.id and p.number = j.attempt)";
    return Queries.list(
        session,
        sql,
        Map.of("job", job),
        row -> new Placed(row.integer(), row.integer(), row.text(), row.bigint()));
  }

  private static Output output(Row row) {
    String job = row.text();
    long arrival = Arrival.ms(row.bigint());
    JobState state = row.constant(JobState.class);
    int attempt = row.integer();
    boolean ended = row.flag();
    String shape = row.text();
    int members = shape == null ? 1 : Shape.parse(shape).members();
    boolean silent = state.terminal() && (row.flag() || attempt == 0);
    return new Output(job, arrival, state, attempt, state.terminal() || ended, members, silent);
  }

  /**
   * A dependency that is not settled.
   *
   * @param state where it stands, null if nobody posted it
   * @param condition how it is to end, null if it is to succeed
   */
  public record Waiting(String id, String state, String condition) {
    private Waiting(String id, String state) {
      this(id, state, null);
    }

    /** As it is waited for by this request. */
    public Waiting by(JobRequest request) {
      return request.dependencies().stream()
          .filter(Dependency::conditional)
          .filter(dependency -> dependency.id().equals(id))
          .findFirst()
          .map(dependency -> new Waiting(id, state, dependency.condition().key()))
          .orElse(this);
    }
  }

  /**
   * What a request waits for, in order of id.
   *
   * @param shown whether it is to be told where a request of this queue stands
   */
  public static Uni<List<Waiting>> waitsFor(
      StatelessSession session, String request, int most, Predicate<String> shown) {
    String sql =
        "select d.depends_on, r.queue, case when r.spec is null then null else coalesce(r.ended, j.state,"
            + " 'WAITING') end from dependency d left join request r on r.id = d.depends_on left"
            + " join job j on j.id = r.job where d.dependent = :id order by d.depends_on limit"
            + " :most";
    return Queries.list(
        session,
        sql,
        Map.of("id", request, "most", most),
        row -> {
          String id = row.text();
          boolean known = shown.test(row.text());
          String state = row.text();
          return new Waiting(id, known ? state : null);
        });
  }

  /**
   * What waits for a request, in order of id.
   *
   * @param most that are looked at
   * @param shown whether it is to be told of a request of this queue
   */
  public static Uni<List<Waiting>> waitingFor(
      StatelessSession session, String request, int most, Predicate<String> shown) {
    String sql =
        "select r.queue, r.id, coalesce(r.ended, j.state, 'WAITING') from (select d.dependent from"
            + " dependency d where d.depends_on = :id order by d.dependent limit :most) d join"
            + " request r on r.id = d.dependent left join job j on j.id = r.job order by r.id";
    return Queries.list(
            session,
            sql,
            Map.of("id", request, "most", most),
            row ->
                shown.test(row.text())
                    ? Optional.of(new Waiting(row.text(), row.text()))
                    : Optional.<Waiting>empty())
        .map(rows -> rows.stream().flatMap(Optional::stream).toList());
  }

  /**
   * Where these requests stand, by id.
   *
   * @param shown whether it is to be told of those of this queue
   * @return {@link RequestState}s as they are stored; none for those that nobody has posted
   */
  public static Uni<Map<String, RequestState>> states(
      StatelessSession session, Collection<String> requests, Predicate<String> shown) {
    String sql =
        "select r.id, r.queue, coalesce(r.ended, j.state, 'WAITING') from request r left join job j on j.id"
            + " = r.job where r.id = any(cast(:keys as text[])) and r.spec is not null";
    return Queries.listOf(
            session,
            sql,
            requests,
            row -> new Standing(row.text(), row.text(), row.constant(RequestState.class)))
        .map(
            rows ->
                rows.stream()
                    .filter(row -> shown.test(row.queue()))
                    .collect(Collectors.toMap(Standing::id, Standing::state)));
  }

  private record Standing(String id, String queue, RequestState state) {}

  /** The job as it stands in line; nothing if it does not. */
  public static Uni<Optional<QueueHead>> inLine(StatelessSession session, String job) {
    String sql =
        "select h.job, h.queue, h.shape, %s from ready h join job j on j.id = h.job where h.job = :job"
            .formatted(ReadyTable.HEAD);
    return Queries.first(
        session,
        sql,
        Map.of("job", job),
        row -> LineRows.head(row.text(), row.text(), Shape.parse(row.text()), row));
  }

  /**
   * A job and its memory.
   *
   * @param memory what is known of it without what was measured
   */
  public record Taking(Shape shape, Memory memory) {}

  /** Nothing for an unknown job. */
  public static Uni<Optional<Taking>> taking(StatelessSession session, String job) {
    String sql =
        "select j.shape, j.fingerprint, j.profile, j.failures from job j where j.id = :job";
    return Queries.first(session, sql, Map.of("job", job), ApiQueries::taking);
  }

  private static Taking taking(Row row) {
    Shape shape = Shape.parse(row.text());
    return new Taking(shape, JobTable.memory(row, shape));
  }

  /** The request of the equal job that this one waits for; nothing if it waits for none. */
  public static Uni<Optional<String>> equalBefore(StatelessSession session, String job) {
    String sql =
        "select h.first_request from job j join job h on h.fingerprint = j.fingerprint and h.role ="
            + " 1 where j.id = :job and j.role = 2";
    return Queries.first(session, sql, Map.of("job", job), Row::text);
  }

  /**
   * A queue in figures.
   *
   * @param queued jobs in line
   * @param open jobs placed or running
   */
  public record QueueCount(String queue, long queued, long open) {
    /** The same as of jobs of one kind. */
    public KindCount ofKind(String kind) {
      return new KindCount(queue, kind, queued, open);
    }
  }

  /**
   * The jobs of a queue and a kind that are in line, and those that have an open attempt.
   *
   * @param kind empty where it is not known, as of what a pool's workers run
   */
  public record KindCount(String queue, String kind, long queued, long open) {}

  /** Every queue and kind that has jobs in line or open; reads each of these jobs. */
  public static Uni<List<KindCount>> kinds(StatelessSession session) {
    String sql =
        """
        select q.queue, coalesce(split_part(split_part(j.profile, ' GPU(s) ', 2), chr(58), 1), ''),
          sum(q.queued), sum(q.open) from (
            select job, queue, 1 as queued, 0 as open from ready
            union all
            select distinct a.job, o.queue, 0, 1 from attempt a join job o on o.id = a.job) q
        join job j on j.id = q.job
        group by 1, 2 order by 1, 2
        """;
    return Queries.list(
        session,
        sql,
        Map.of(),
        row -> new KindCount(row.text(), row.text(), row.bigint(), row.bigint()));
  }

  /**
   * When the first in line arrived, ms since 1970, by queue; of several kinds of room the earliest.
   * Four steps in an index for each queue, however long its line is.
   */
  public static Uni<Map<String, Long>> heads(StatelessSession session) {
    String sql =
        """
        with %s
        select q.queue, min(f.seq) from q cross join %s cross join lateral (
          select r.seq from ready r where r.queue = q.queue and %s = k.kind
          order by r.rank limit 1) f
        group by q.queue
        """
            .formatted(LiveJobs.QUEUES, ReadyTable.KINDS_OF_ROOM, ReadyTable.KIND_OF_ROOM);
    return Queries.byKey(session, sql, Map.of(), row -> Arrival.ms(row.bigint()));
  }

  /** Every queue that has jobs in line or open. */
  public static Uni<List<QueueCount>> queues(StatelessSession session) {
    String sql =
        """
        select queue, sum(queued), sum(open) from (
          select queue, jobs as queued, 0 as open from line_count
          union all
          select queue, jobs, 0 from line_entry
          union all
          select j.queue, 0, count(distinct a.job) from attempt a join job j on j.id = a.job
          group by j.queue) q
        group by queue having sum(queued) > 0 or sum(open) > 0 order by queue
        """;
    return Queries.list(
        session, sql, Map.of(), row -> new QueueCount(row.text(), row.bigint(), row.bigint()));
  }
}
