-- Attempts that are over, but for the only one of a plain job: that one its job tells of. A job that
-- is tried for ever keeps its first and its last ones: `slot` is the number below which all are kept,
-- and from there on is used again.
create table past_attempt (
  job            text collate "C" not null,
  slot           integer not null,
  rank           smallint not null,
  number         integer not null,
  host           text collate "C" not null,
  devices        text,
  placed_at      bigint not null,
  running_since  bigint,
  ended_at       bigint not null,
  how            text not null,
  category       text,
  reason         text,
  exit_code      integer,
  usage          text,
  primary key (job, slot, rank)
) with (autovacuum_vacuum_scale_factor = 0.05);
