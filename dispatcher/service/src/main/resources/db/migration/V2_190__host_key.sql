-- How a host proves who it is, as JSON: whether it has used its key, after which nothing unsigned is
-- believed of it, and why its attempts are held; null if neither is so.
alter table host add column key text;
