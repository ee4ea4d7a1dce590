-- Of which runner of its host an attempt takes a slot, as resources.type names it; null if of none.
alter table attempt add column runner text;
