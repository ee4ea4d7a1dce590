-- Jobs on several hosts at once: one row of an attempt a host, by rank. Of a job on one host the only
-- one is rank 0.
alter table attempt add column rank smallint not null default 0;
alter table attempt drop constraint attempt_pkey;
alter table attempt add primary key (job, number, rank);

-- Its hosts by rank, their devices, and how those members ended that have, JSON; null for one host.
alter table job add column gang text;
