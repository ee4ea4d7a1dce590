-- Ended groups whose report is still to be mailed, where mail is on.
alter table group_count add column mailed_at bigint;
create index group_count_to_mail on group_count (closed_at)
  where closed_at is not null and mailed_at is null;

-- When mails were sent: by it their number is limited, whichever replica sends them.
create table report_mail (
  at             bigint not null
);
