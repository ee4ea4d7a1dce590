-- The request and the job, JSON, whose work a job's result is, where an equal one that it had waited
-- for answered it.
alter table job add column answered_by text;

-- When a job's current or last attempt began to run.
alter table job add column started_at bigint;

-- When a request was bound to its job, where that was not when it arrived.
alter table request add column queued_at bigint;
