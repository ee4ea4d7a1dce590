-- Requests that wait for dependencies: few, and what they name is kept for them. Nobody who has no
-- dependencies ever gets in here, for he is bound in the statement that inserts him.
create index request_waiting on request (id) where job is null and ended is null and spec is not null;
