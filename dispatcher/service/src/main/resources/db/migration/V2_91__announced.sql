-- Requests of the last pass that placed something: until its statuses were published and looked at
-- again, whoever takes the fleet over owes them.
alter table fleet add column announced text[] not null default '{}';
