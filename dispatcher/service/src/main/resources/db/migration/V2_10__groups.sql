-- Counts of groups: rows of the transactions that changed them, until the scheduler folds them, so
-- that no two transactions wait for each other's row.
create table group_entry (
  grp            text collate "C" not null,
  total          bigint not null,
  succeeded      bigint not null,
  failed         bigint not null,
  cancelled      bigint not null,
  at             bigint not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create table group_count (
  grp            text collate "C" primary key,
  total          bigint not null default 0,
  succeeded      bigint not null default 0,
  failed         bigint not null default 0,
  cancelled      bigint not null default 0,
  first_at       bigint not null,
  last_end_at    bigint,
  closed_at      bigint
) with (fillfactor = 70);

insert into group_count (grp, total, succeeded, failed, cancelled, first_at, last_end_at)
select r.grp, count(*),
  count(*) filter (where coalesce(r.ended, j.state) = 'SUCCEEDED'),
  count(*) filter (where coalesce(r.ended, j.state) = 'FAILED'),
  count(*) filter (where coalesce(r.ended, j.state) = 'CANCELLED'),
  min(r.seq) / 4096, max(j.ended_at)
from request r left join job j on j.id = r.job
where r.grp is not null and r.spec is not null group by r.grp;
