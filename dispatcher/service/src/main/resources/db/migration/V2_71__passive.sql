-- What the person said who ran an attempt, as JSON; its agent is told until the attempt is over.
alter table attempt add column answer text;
