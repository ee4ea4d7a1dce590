-- Since when, and from which epoch on, a host has to prove that it runs nothing that this database
-- does not know, as one that was restored does not know all; JSON. Null once it has, and of others.
alter table host add column restored text;

-- The last restore of this database; without a row there was none.
create table restoration (
  at             bigint not null,
  -- when the backup was taken
  backup_at      bigint not null,
  -- when all that was said to the database that is no more had been read again; null before
  replayed_at    bigint
);

-- Partitions of which that is not so yet.
create table restored_partition (
  grp            text collate "C" not null,
  topic          text collate "C" not null,
  part           integer not null,
  -- the offset behind the last record of that
  until          bigint not null,
  primary key (topic, part)
);

-- Requests of which statuses were published after the backup: what the topic has of them last is not
-- what the database has. They are owed once the topics have been read again.
create table restored_status (
  request        text collate "C" primary key
);
