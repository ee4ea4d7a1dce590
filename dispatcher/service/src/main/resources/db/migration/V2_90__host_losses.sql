-- When its lease ran out, JSON, the last times; null if it never did.
alter table host add column losses text;
