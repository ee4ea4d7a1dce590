-- What running jobs said of their results, line by line.
create table intermediate_result (
  job            text collate "C" not null,
  attempt        integer not null,
  -- of the event that brought it: rises, with gaps
  seq            integer not null,
  at             bigint not null,
  -- its first number; null if it is none
  score          float8,
  -- as printed, JSON; null where that is large
  result         text,
  primary key (job, attempt, seq)
) with (autovacuum_vacuum_scale_factor = 0.05);

-- How far jobs were judged by their intermediate results: each step counts once.
create table early_stop_check (
  job            text collate "C" not null,
  attempt        integer not null,
  step           integer not null,
  primary key (job, attempt)
) with (fillfactor = 70);
