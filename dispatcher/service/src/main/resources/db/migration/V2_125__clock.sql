-- What all transactions add to the wall clock, so that their clock goes on where that was set. See ADR 0025.
create table clock (
  sole boolean primary key default true check (sole),
  correction_ms bigint not null default 0);
insert into clock default values;
