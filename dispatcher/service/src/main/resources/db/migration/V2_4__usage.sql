-- What the last attempt took that ended, JSON.
alter table job add column usage text;
