-- What a job depends on, kept for it until it has ended: each of its attempts is given the results.
-- Written once, with the job, and gone with it. A job that depends on nothing has no row.
create table input (
  depends_on     text collate "C" not null,
  job            text collate "C" not null,
  primary key (depends_on, job)
) with (autovacuum_vacuum_scale_factor = 0.05);

create index input_job on input (job);

-- Of jobs that have not ended. All of them are in these, which are few beside those that have.
insert into input (depends_on, job)
select distinct n.id, j.id
from (
  select job from ready union select job from backoff union select job from attempt
  union select id from job where role = 2) live(job)
join job j on j.id = live.job and j.ended_at is null
join request r on r.id = j.first_request
cross join lateral jsonb_array_elements(cast(r.spec as jsonb) -> 'dependsOn') e(entry)
cross join lateral (select coalesce(e.entry ->> 'id', e.entry #>> '{}')) n(id)
where strpos(r.spec, '"dependsOn":[') > 0;
