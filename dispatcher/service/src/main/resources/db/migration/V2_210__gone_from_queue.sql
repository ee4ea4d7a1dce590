-- Where a request was that is no more: its queue's own topic of statuses is to be told, too.
alter table due_status add column queue text collate "C";
