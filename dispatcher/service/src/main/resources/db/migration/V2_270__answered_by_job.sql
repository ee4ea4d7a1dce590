-- Whom a job has answered: it is dropped once nobody is left. Written once, at arrival.
create index request_cached on request (job) where cached;
