-- Jobs that wait for an equal one to end. Each end asks for them, and there are hardly any: in an
-- index of all fingerprints that would be a search among all jobs.
create index job_successor on job (fingerprint) where role = 2;
