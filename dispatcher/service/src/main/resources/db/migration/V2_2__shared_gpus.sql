-- Bytes promised on each of its GPUs to an attempt that shares them; null if it has them alone.
alter table attempt add column gpu_memory bigint;
