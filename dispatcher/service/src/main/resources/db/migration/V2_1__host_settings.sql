-- What people told a host, JSON; told again to each start of its agent.
alter table host add column settings text;
