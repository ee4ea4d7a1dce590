-- A database has one fleet: two schedulers would promise the same hosts. Where there is more than
-- one by now, dispatchers say which is to go.
do $$
begin
  if (select count(*) from fleet) <= 1 then
    create unique index fleet_is_one on fleet ((true));
  end if;
end $$;
