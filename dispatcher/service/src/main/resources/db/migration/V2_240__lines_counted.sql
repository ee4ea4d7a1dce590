-- How many stand in each queue's line, which to count would be to read all of it. Each statement
-- that changes the line leaves a row of what it changed, whichever build it is of, and the scheduler
-- folds them: no two transactions wait for each other's row.
create table line_entry (
  queue          text collate "C" not null,
  jobs           bigint not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create table line_count (
  queue          text collate "C" primary key,
  jobs           bigint not null
) with (fillfactor = 50);

create function line_grew() returns trigger language plpgsql as $$
begin
  insert into line_entry (queue, jobs) select queue, count(*) from changed group by queue;
  return null;
end $$;

create function line_shrank() returns trigger language plpgsql as $$
begin
  insert into line_entry (queue, jobs) select queue, -count(*) from changed group by queue;
  return null;
end $$;

-- Nobody changes the line from here to the end of this.
create trigger line_grew after insert on ready referencing new table as changed
  for each statement execute function line_grew();
create trigger line_shrank after delete on ready referencing old table as changed
  for each statement execute function line_shrank();

insert into line_count (queue, jobs) select queue, count(*) from ready group by queue;
