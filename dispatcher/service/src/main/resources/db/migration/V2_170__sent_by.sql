-- Who posted a request, by the login; null where nobody had to say who they are.
alter table request add column sent_by text;
