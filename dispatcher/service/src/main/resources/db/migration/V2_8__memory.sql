-- Learned GPU memory. What jobs are like, told from their command: null without a GPU.
alter table job add column profile text;

-- Peaks of attempts that ended, until they are folded: rows of the transactions that ended them, so
-- that no two transactions wait for each other's row.
create table memory_entry (
  key            text collate "C" not null,
  -- bytes on each GPU
  peak           bigint not null,
  at             bigint not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create index memory_entry_key on memory_entry (key);

create table memory_seen (
  key            text collate "C" primary key,
  -- the newest first, with commas
  peaks          text not null,
  seen           bigint not null,
  at             bigint not null
) with (fillfactor = 80);

create index memory_seen_at on memory_seen (at);
