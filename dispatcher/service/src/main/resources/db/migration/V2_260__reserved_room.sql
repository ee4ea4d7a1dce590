-- Which hosts are kept free for which jobs in line, JSON, as the holder of that epoch last decided:
-- so that every replica can show it. Nothing is decided by it.
alter table fleet add column reserved text;
alter table fleet add column reserved_epoch bigint;
