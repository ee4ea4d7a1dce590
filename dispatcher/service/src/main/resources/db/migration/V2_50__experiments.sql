-- Groups with a plan: experiments, groups that wait for others, groups that were stopped.
create table experiment (
  name           text collate "C" primary key,
  -- the message that made it: coming again, it makes no second one
  creation       text collate "C" not null unique,
  -- canonical settings, JSON
  plan           text not null,
  -- the group that has to end first
  after          text collate "C",
  state          text not null,
  reason         text,
  created_at     bigint not null,
  ended_at       bigint,
  best           text collate "C",
  best_score     float8
) with (fillfactor = 70);

create index experiment_open on experiment (name) where ended_at is null;

-- The group of a job's first request where that has a plan, else empty: what may not start for its
-- group's sake must not keep what is behind it in line from being seen.
alter table ready add column lane text collate "C" not null default '';
drop index ready_heads;
create index ready_heads on ready (queue, shape, lane, rank);
