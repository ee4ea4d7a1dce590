-- What is in force where it differs from what was posted: the kind filled in.
alter table request add column resolved text;

-- Every version of the kinds that was in force, the newest last. All replicas use the newest.
create table kinds (
  generation     bigint primary key,
  -- SHA-256 of the definition
  digest         text not null,
  -- the file as it was read
  definition     text not null,
  stored_at      bigint not null
);
