-- Fair share. A job's place in its queue's line does not change with time, so that it can be kept
-- in the index: its arrival, earlier by ten minutes (2,457,600,000 = 600,000 ms x 4,096) for each
-- step of priority.
alter table ready add column rank bigint;
update ready set rank = seq - priority * 2457600000;
alter table ready alter column rank set not null;
drop index ready_heads;
create index ready_heads on ready (queue, shape, rank);

-- Whose share an attempt uses.
alter table attempt add column queue text collate "C";
update attempt a set queue = j.queue from job j where j.id = a.job;
alter table attempt alter column queue set not null;

-- What ended attempts took: rows of the transactions that closed them, until the scheduler folds
-- them, so that no two transactions wait for each other's row.
create table usage_entry (
  queue          text collate "C" not null,
  -- devices x ms
  gpu_ms         float8 not null,
  slot_ms        float8 not null,
  -- how long these attempts were open, on average
  run_ms         float8 not null,
  at             bigint not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create table queue_usage (
  queue          text collate "C" primary key,
  -- as of at; half of it is forgotten in each half-life
  gpu_ms         float8 not null,
  slot_ms        float8 not null,
  at             bigint not null
);
