-- Queue tables are analyzed every few seconds, so that nobody plans for a table that was empty a
-- moment ago. All that is asked of them goes through indexes: a rough picture will do. A sample has
-- 300 rows for each step of the largest target among a table's columns, so all of them are lowered.
do $$
declare
  c record;
begin
  for c in
    select t.relname, a.attname from pg_attribute a join pg_class t on t.oid = a.attrelid
    where t.relnamespace = current_schema()::regnamespace
      and t.relname in ('request', 'job', 'ready', 'attempt') and t.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped
  loop
    execute format('alter table %I alter column %I set statistics 10', c.relname, c.attname);
  end loop;
end $$;

-- What an index computes has a target of its own.
alter index ready_front alter column 2 set statistics 10;
