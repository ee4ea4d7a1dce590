-- What became of each host, so that people can read it afterwards; the newest of each are kept.
create table host_event (
  host           text collate "C" not null,
  at             bigint not null,
  n              integer not null,
  what           text not null,
  detail         text,
  primary key (host, at, n)
);
