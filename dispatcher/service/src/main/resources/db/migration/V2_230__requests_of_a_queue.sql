-- A queue's newest requests, however few of all they are. Written once, at arrival.
create index request_queue on request (queue, seq) where seq > 0;
