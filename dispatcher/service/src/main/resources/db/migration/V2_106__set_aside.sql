-- What steps fail for each time, for people to see: nothing is decided by it.
create table set_aside (
  step text not null,
  item text not null,
  tries integer not null,
  -- Whether the step goes on without it.
  aside boolean not null,
  -- Whether it was given up, and its request has ended.
  ended boolean not null,
  since bigint not null,
  last_at bigint not null,
  next_at bigint not null,
  reason text not null,
  primary key (step, item)
);
