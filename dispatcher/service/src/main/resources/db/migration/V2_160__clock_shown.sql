-- What the clock showed when a fleet was last claimed, ms since 1970: it was set back if it shows less.
alter table fleet add column shown bigint not null default 0;
