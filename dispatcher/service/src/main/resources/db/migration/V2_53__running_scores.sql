-- What early stopping compares: of each intermediate result, with those of its attempt before it,
-- how many have a score, what their scores add up to (exactly: so the order of addition says
-- nothing), and the least and the most of them. So a step of a group is read by its rows alone.
alter table intermediate_result
  add column n      integer not null default 0,
  add column total  numeric not null default 0,
  add column least  float8,
  add column most   float8;

update intermediate_result i
set n = s.n, total = s.total, least = s.least, most = s.most
from (
  select job, attempt, seq, count(score) over w as n,
    coalesce(sum(cast(cast(score as text) as numeric)) over w, 0) as total,
    min(score) over w as least, max(score) over w as most
  from intermediate_result window w as (partition by job, attempt order by seq)) s
where s.job = i.job and s.attempt = i.attempt and s.seq = i.seq;

create index intermediate_step on intermediate_result (job, attempt, n) where score is not null;
