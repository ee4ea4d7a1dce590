-- Where a queue has very many lines (of jobs that ask for the same), a pass reads its front, of each
-- kind of room apart, beside a few lines at a time. The kinds: 1 GPUs, 2 a pool, 3 another runner,
-- 0 CPU slots. A label of such a name sorts a job among the wrong kind, which costs it nothing but
-- its place at that front.
create index ready_front on ready (
  queue,
  (case when strpos(shape, '"gpus":') > 0 then 1
        when strpos(shape, '"pool":') > 0 then 2
        when strpos(shape, '"runner":') > 0 then 3
        else 0 end),
  rank);
