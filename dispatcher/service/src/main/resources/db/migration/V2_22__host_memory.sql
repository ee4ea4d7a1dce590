-- Bytes of host memory that an attempt was promised; null if nothing is known of its job.
alter table attempt add column host_memory bigint;

-- Bytes of host memory that are kept for a job on each host where others make room for it; null likewise.
alter table hold add column host_memory bigint;
