-- Ids of control messages that had their effect, for those whose effect must not come twice.
create table control_done (
  id             text collate "C" primary key,
  done_at        bigint not null
);
create index control_done_at on control_done (done_at);
