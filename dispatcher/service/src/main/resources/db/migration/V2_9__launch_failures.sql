-- Jobs that could not be started on a host, since something was started there: few, and for minutes.
create table launch_failure (
  host           text collate "C" not null,
  job            text collate "C" not null,
  at             bigint not null,
  primary key (host, job)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create index launch_failure_at on launch_failure (at);
