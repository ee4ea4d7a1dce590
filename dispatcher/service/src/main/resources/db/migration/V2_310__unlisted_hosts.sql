-- A host that has been away for long: its row stays, for its epochs and its key, but is read only when
-- the host or people name it, and not with each placement. Dispatchers of builds before read all.
alter table host add column unlisted boolean not null default false;
create index host_listed on host (id) where not unlisted or state = 'UP' or restored is not null;
