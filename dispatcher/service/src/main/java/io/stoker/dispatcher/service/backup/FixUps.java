package io.stoker.dispatcher.service.backup;

import io.stoker.dispatcher.backup.Position;
import io.stoker.dispatcher.service.postgres.Schema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Changes a restored database before anybody works with it, since others know what it has lost:
 * numbers that were given rise above those, and who may run what it does not know is noted.
 */
final class FixUps {
  /** More than are granted between two backups. */
  private static final int EPOCHS = 1 << 20;

  /** More takeovers than there are between two backups. */
  private static final int FLEET_EPOCHS = 1_000;

  /** Above the last attempt that was told of: more than came to nothing before they were. */
  private static final int ATTEMPTS = 1_000;

  private static final String HEARD =
      """
      create temp table heard_host (host text primary key, fleet text, version text,
        epoch bigint, outage bigint, resources text) on commit drop
      """;

  private static final String SAID =
      """
      create temp table said_status (request text, version bigint, job text, attempt integer)
        on commit drop
      """;

  private static final String FLEET =
      "update fleet set epoch = epoch + %d, held_until = 0, scheduler = ''".formatted(FLEET_EPOCHS);

  /**
   * Its agent holds an epoch of before, and has to ask for one: the challenge is another one, too.
   * Who was not settled yet when the backup was taken may still run what was unknown then. And who
   * was granted an epoch since has said hello since: whoever said that it is dead did not speak of
   * what it runs now.
   */
  private static final String HOSTS =
      """
      update host h set
        epoch = n.epoch,
        nonce = n.nonce,
        holder = case when cast(h.holder as jsonb) ->> 'nonce' = h.nonce
          then cast(jsonb_set(cast(h.holder as jsonb), '{nonce}', to_jsonb(n.nonce)) as text)
          else h.holder end,
        resources = coalesce(n.resources, h.resources),
        drain = case when n.since then cast(cast(h.drain as jsonb) - 'dead' as text)
          else h.drain end,
        restored = case when h.state = 'UP' or n.heard or n.before is not null
          then cast(jsonb_build_object(
            'at', cast(? as bigint), 'floor', n.epoch, 'outageMs', n.outage, 'grantedSince',
            n.since or coalesce(cast(n.before ->> 'grantedSince' as boolean), false),
            'successor', false) as text) end
      from (
        select k.id, greatest(k.epoch, coalesce(s.epoch, 0)) + %d as epoch,
          'restored-' || gen_random_uuid() as nonce, s.resources, s.host is not null as heard,
          coalesce(s.epoch > k.epoch, false) as since,
          b.before,
          case when (s.host is null or s.epoch <= k.epoch or s.resources is not null)
            and (b.before is null or (b.before ->> 'outageMs') is not null) then greatest(
              coalesce(cast(cast(k.resources as jsonb) ->> 'maxOutageMs' as bigint), 0),
              coalesce(s.outage, 0), cast(b.before ->> 'outageMs' as bigint)) end as outage
        from host k left join heard_host s on s.host = k.id
        cross join lateral (select cast(k.restored as jsonb) as before) b) n
      where n.id = h.id
      """
          .formatted(EPOCHS);

  private static final String NEW_HOSTS =
      """
      insert into host (id, fleet, epoch, nonce, journal, version, state, cordoned, reason, resources,
        seen_at, restored)
      select s.host, coalesce(nullif(s.fleet, ''), (select name from fleet limit 1), 'default'),
        s.epoch + %1$d, 'restored-' || gen_random_uuid(), '', s.version, 'LOST', false,
        'it was heard of after the backup', coalesce(s.resources, '{"devices":[],"cpuSlots":0}'), ?,
        cast(jsonb_build_object('at', cast(? as bigint), 'floor', s.epoch + %1$d, 'outageMs',
          case when s.resources is not null then s.outage end, 'grantedSince', true,
          'successor', false) as text)
      from heard_host s where not exists (select 1 from host h where h.id = s.host)
      """
          .formatted(EPOCHS);

  private static final String ATTEMPT_NUMBERS =
      """
      update job j set policy = cast(jsonb_set(cast(j.policy as jsonb), '{numbersGiven}', to_jsonb(
        %d + greatest(j.attempt, s.attempt,
          cast(cast(j.policy as jsonb) ->> 'numbersGiven' as integer)))) as text)
      from job k left join (
        select job, max(attempt) as attempt from said_status group by job) s on s.job = k.id
      where k.id = j.id and j.ended_at is null
      """
          .formatted(ATTEMPTS);

  /** A status that was published is not taken for a newer one. */
  private static final String VERSIONS =
      """
      update request r set version = s.version + 1 - s.changes
      from (
        select p.request, p.version,
          case when q.ended is null then coalesce(j.changes, 0) else 0 end as changes
        from (select request, max(version) as version from said_status group by request) p
        join request q on q.id = p.request left join job j on j.id = q.job) s
      where r.id = s.request and r.version + s.changes <= s.version and r.spec is not null
      """;

  /** Requests that are accepted again begin with the clock as their version. */
  private static final String ACCEPTED_AGAIN =
      """
      from said_status s where not exists (
        select 1 from request r where r.id = s.request and r.spec is not null)
      """;

  private static final String AHEAD = "select coalesce(max(s.version) - ?, -1) " + ACCEPTED_AGAIN;

  private static final String FARTHEST =
      "select s.request " + ACCEPTED_AGAIN + " order by s.version desc, s.request limit 1";

  /** As steps of the clock that are longer than this are believed. */
  private static final long MOST_AHEAD = Duration.ofDays(1).toMillis();

  private static final String OWED =
      """
      insert into restored_status (request)
      select distinct s.request from said_status s join request r on r.id = s.request
      on conflict do nothing
      """;

  private static final String RESTORATION = "insert into restoration (at, backup_at) values (?, ?)";

  private static final String UNREAD =
      "insert into restored_partition (grp, topic, part, until) values (?, ?, ?, ?)";

  private FixUps() {}

  /** Makes room for what {@link #HEARD_HOST} and {@link #SAID_STATUS} take in. */
  static void begin(Sql sql) throws SQLException {
    sql.run(HEARD);
    sql.run(SAID);
  }

  /** Columns of what was heard of hosts, in their order. */
  static final List<String> HEARD_HOST =
      List.of("host", "fleet", "version", "epoch", "outage", "resources");

  /** Columns of what was published of requests, in their order. */
  static final List<String> SAID_STATUS = List.of("request", "version", "job", "attempt");

  /**
   * Changes all.
   *
   * @param backupAt when the backup was taken, ms since 1970
   * @param replay up to where the topics tell what the lost database was told
   * @throws Refused if the database's clock is a day or more behind that of the one before
   */
  static void apply(Sql sql, long backupAt, List<Position> replay) throws SQLException {
    long at = Long.parseLong(sql.text("select " + Schema.CLOCK));
    goOn(sql, at);
    sql.run(FLEET);
    sql.run(HOSTS, at);
    sql.run(NEW_HOSTS, at, at);
    sql.run("analyze said_status");
    sql.run(ATTEMPT_NUMBERS);
    sql.run(VERSIONS);
    sql.run(OWED);
    sql.run("delete from restoration");
    sql.run("delete from restored_partition");
    sql.run(RESTORATION, at, backupAt);
    for (Position one : replay) {
      sql.run(UNREAD, one.group(), one.topic(), one.partition(), one.offset());
    }
  }

  /**
   * The clock goes on from where it was, or consumers would take what is said of requests that are
   * accepted again for older than what they have: it was corrected after the backup, or the clock
   * of this machine is behind that of the one before.
   */
  private static void goOn(Sql sql, long at) throws SQLException {
    long ahead = Long.parseLong(sql.text(AHEAD, at));
    if (ahead > MOST_AHEAD) {
      throw new Refused(
          "the database's clock is %d ms behind the version of a status that was published after the backup, of request %s: set it right, and try again"
              .formatted(ahead, sql.text(FARTHEST)));
    }
    if (ahead >= 0) {
      sql.run("update clock set correction_ms = correction_ms + ?", ahead + 1);
    }
  }
}
