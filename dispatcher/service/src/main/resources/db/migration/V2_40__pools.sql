-- Whose warm workers run an attempt; null if it has a process of its own.
alter table attempt add column pool text;
