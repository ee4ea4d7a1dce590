package io.stoker.dispatcher.service.postgres;

/**
 * Live jobs that are few among all, or that stand before many: what a list need not look for among
 * all requests.
 */
final class LiveJobs {
  /** Of each kind of room of each queue's line so many jobs are looked at. */
  private static final int FIRST = 1_000;

  /** And no more of the lines of all queues together. */
  private static final int OF_ALL = 2_500;

  /** Those whose turn is next. Who failed before, or cannot be served, has waited the longest. */
  private static final String FIRST_IN_LINE =
      """
      select f.job from q
      cross join %s
      cross join lateral (
        select r.job from ready r where r.queue = q.queue and %s = k.kind
        order by r.rank limit least(%d, %d / (select count(*) from q) + 1)) f"""
          .formatted(ReadyTable.KINDS_OF_ROOM, ReadyTable.KIND_OF_ROOM, FIRST, OF_ALL);

  /** Queues with jobs in line, each by the next name in an index. */
  static final String QUEUES =
      """
      recursive q as (
        (select queue from ready order by queue limit 1)
        union all
        select n.queue from q cross join lateral (
          select queue from ready where queue > q.queue order by queue limit 1) n)""";

  /** Requests of those that have failed before and are tried again. */
  static final String FAILING =
      requests(
          "select job from attempt union select job from backoff union " + FIRST_IN_LINE,
          "failures is not null");

  /** Requests of those in line that no host can ever serve. */
  static final String NEVER = requests(FIRST_IN_LINE, "code = 'UNSATISFIABLE'");

  private LiveJobs() {}

  /**
   * The requests that started these jobs, as far as a condition holds, and those that share them.
   */
  private static String requests(String jobs, String condition) {
    return """
        with %s,
        l as materialized (
          select o.id, o.first_request from (%s) l cross join lateral (
            select id, first_request from job where id = l.job and %s limit 1) o)
        select first_request from l
        union
        select s.id from l cross join lateral (
          select id from request where job = l.id and attached and not cached offset 0) s"""
        .formatted(QUEUES, jobs, condition);
  }
}
