-- Who holds the host's epoch, what earlier agents have left behind, and who else asks for its name,
-- JSON; null of a host that has not said hello since.
alter table host add column holder text;
