-- Since when an attempt runs, by the agent's word: so long its job may not be made to give its room.
alter table attempt add column running_since bigint;

-- The job for whose sake an attempt was told to end, and where its own gets in line then, JSON; null
-- if that was not why.
alter table attempt add column preempted text;

-- How often a job made room for others.
alter table job add column preemptions integer not null default 0;

-- Jobs in line for which others were told to end, and the hosts whose room is theirs: written with
-- what tells the others, so that whoever schedules next keeps it, too.
create table hold (
  job            text collate "C" primary key,
  queue          text collate "C" not null,
  hosts          text not null,
  gpus           integer not null,
  cpu_slots      integer not null,
  since          bigint not null,
  free_since     bigint
);
