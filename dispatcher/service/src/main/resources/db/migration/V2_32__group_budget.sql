-- Retries that the jobs of a group may use together; groups without such a limit have no row.
create table group_budget (
  grp            text collate "C" primary key,
  retries        bigint not null,
  used           bigint not null default 0
) with (fillfactor = 80);
