-- How a host is being emptied, JSON; null if it is not.
alter table host add column drain text;
