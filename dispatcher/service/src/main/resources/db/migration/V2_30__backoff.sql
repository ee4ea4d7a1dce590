-- A job that failed and waits before its next attempt stands here, and not in the line: so no pass
-- reads it before its time.
create table backoff (
  job            text collate "C" primary key,
  due_at         bigint not null,
  -- the category of the failure that it waits after
  category       text not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create index backoff_due on backoff (due_at);

-- The same time, where those who change a queued job see it; null if it does not wait.
alter table job add column retry_at bigint;
