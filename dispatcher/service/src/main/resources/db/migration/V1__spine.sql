-- The truth. Hot rows are narrow and few: a plain request inserts three (request, job, ready), its
-- placement deletes the ready row and inserts an attempt, its end deletes the attempt. No indexed
-- column of request or job changes with state, so that updates stay heap-only; fillfactor leaves
-- them room on their page.

create table request (
  id             text collate "C" primary key,
  -- order of arrival; 0 for a placeholder
  seq            bigint not null,
  -- the request's own part of its version: clock in ms at arrival, + 1 with each own change.
  -- What is published is this + job.changes.
  version        bigint not null,
  -- canonical JSON as accepted; null for a placeholder, a row that another request named first
  spec           text,
  queue          text collate "C",
  grp            text collate "C",
  fingerprint    text collate "C",
  job            text collate "C",
  -- bound to a job that somebody else started
  attached       boolean not null default false,
  -- bound to a job that had succeeded before
  cached         boolean not null default false,
  -- dependencies still to succeed
  missing        integer not null default 0,
  -- terminal state of its own, where the job's is not its own
  ended          text,
  code           text,
  reason         text,
  stop_requested boolean not null default false
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);

-- Sharers of live jobs. Written once, at binding.
create index request_sharers on request (job, id) where attached and not cached;
create index request_group on request (grp, seq) where grp is not null;
create index request_arrival on request (seq);

create table job (
  id             text collate "C" primary key,
  fingerprint    text collate "C" not null,
  -- 1 holder: live or succeeded, what equals are answered with; 2 successor: waits for the
  -- holder's end; 0 neither
  role           smallint not null,
  state          text not null,
  -- told to end, and not yet over
  ending         boolean not null default false,
  changes        bigint not null default 0,
  -- number of the newest attempt, the fencing token; only rises
  attempt        integer not null default 0,
  first_request  text collate "C" not null,
  queue          text collate "C" not null,
  priority       integer not null,
  seq            bigint not null,
  -- canonical JSON of the resources: jobs of one shape are interchangeable to the scheduler
  shape          text collate "C" not null,
  -- retries and limits, canonical JSON, the longest of all sharers
  policy         text not null,
  host           text,
  devices        text,
  exit_code      integer,
  code           text,
  reason         text,
  progress       text,
  result         text,
  -- failures by category, JSON
  failures       text,
  -- hosts that failed it, JSON
  avoid          text,
  ended_at       bigint
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);

-- At most one live-or-succeeded job a fingerprint, and at most one that waits for it to end.
create unique index job_fingerprint on job (fingerprint, role) where role > 0;

create table ready (
  job            text collate "C" primary key,
  queue          text collate "C" not null,
  shape          text collate "C" not null,
  priority       integer not null,
  seq            bigint not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create index ready_heads on ready (queue, shape, priority desc, seq);

-- Open attempts only. An unaccepted one is the outbox of its placement.
create table attempt (
  job            text collate "C" not null,
  number         integer not null,
  host           text collate "C" not null,
  token          text not null,
  state          text not null,
  seq            integer not null,
  gpus           integer not null,
  cpu_slots      integer not null,
  placed_at      bigint not null,
  not_after      bigint not null,
  devices        text,
  cancel_reason  text,
  primary key (job, number)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create table dependency (
  dependent      text collate "C" not null,
  depends_on     text collate "C" not null,
  primary key (depends_on, dependent)
);

create index dependency_dependent on dependency (dependent);

-- Ended requests with dependents, and changed jobs with sharers, still to be worked through in
-- chunks; after is the last one done.
create table fan_out (
  kind           smallint not null,
  subject        text collate "C" not null,
  after          text collate "C" not null default '',
  primary key (kind, subject)
);

-- Requests whose newest status is still to be published.
create table due_status (
  request        text collate "C" primary key,
  -- another one with every change, so that publishing an older one does not delete the row
  marked         bigint not null default 1
);

create table timer (
  kind           smallint not null,
  request        text collate "C" not null,
  due_at         bigint not null,
  primary key (kind, request)
);

create index timer_due on timer (due_at);

create table host (
  id             text collate "C" primary key,
  fleet          text not null,
  epoch          bigint not null,
  nonce          text not null,
  journal        text not null,
  version        text,
  state          text not null,
  cordoned       boolean not null default false,
  reason         text,
  resources      text not null,
  seen_at        bigint not null
);

-- One active scheduler a fleet: whoever holds the row until it lets it expire.
create table fleet (
  name           text primary key,
  epoch          bigint not null,
  scheduler      text not null,
  held_until     bigint not null
);
