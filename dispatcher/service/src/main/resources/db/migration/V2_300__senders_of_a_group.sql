-- Who has sent requests of a group to which queues, each of them once. Written once, at arrival.
create index request_senders on request (grp, queue, (coalesce(sent_by, ''))) where grp is not null;
alter index request_senders alter column 3 set statistics 10;
