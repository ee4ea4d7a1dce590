-- As dispatchers of the first schema wrote them: a request of each state, all posted at the same ms.
insert into request (id, seq, version, spec, queue, grp, fingerprint, job, attached, cached, missing, ended, code, reason, stop_requested) values
  ('waiting', 6963200000000001, 1700000000000, '{"command":["join"],"dependsOn":["running","unposted"]}', 'q', 'g', null, null, false, false, 2, null, null, null, false),
  ('unposted', 0, 1700000000000, null, null, null, null, null, false, false, 0, null, null, null, false),
  ('stopped-unposted', 0, 1700000000000, null, null, null, null, null, false, false, 0, null, null, 'cancelled on request', true),
  ('queued', 6963200000000002, 1700000000000, '{"command":["a"],"resources":{"gpus":1}}', 'q', 'g', 'f-queued', 'j-queued', false, false, 0, null, null, null, false),
  ('urgent', 6963200000000003, 1700000000000, '{"command":["b"],"dependsOn":["succeeded"],"priority":2}', 'q', null, 'f-urgent', 'j-urgent', false, false, 0, null, null, null, false),
  ('placed', 6963200000000004, 1700000000000, '{"command":["c"],"env":{"A":"b"}}', 'q', null, 'f-placed', 'j-placed', false, false, 0, null, null, null, false),
  ('running', 6963200000000005, 1700000000000, '{"command":["d"],"resources":{"gpus":1}}', 'q', 'g', 'f-running', 'j-running', false, false, 0, null, null, null, false),
  ('sharer', 6963200000000006, 1700000000000, '{"command":["d"],"resources":{"gpus":1}}', 'q', null, 'f-running', 'j-running', true, false, 0, null, null, null, false),
  ('left-alone', 6963200000000007, 1700000000002, '{"command":["d"],"resources":{"gpus":1}}', 'q', null, 'f-running', 'j-running', true, false, 0, 'CANCELLED', 'CANCELLED', 'no longer needed', true),
  ('ending', 6963200000000008, 1700000000001, '{"command":["e"]}', 'q', null, 'f-ending', 'j-ending', false, false, 0, null, null, 'cancelled on request', true),
  ('successor', 6963200000000009, 1700000000000, '{"command":["e"],"dependsOn":["succeeded"]}', 'q', null, 'f-ending', 'j-successor', false, false, 0, null, null, null, false),
  ('succeeded', 6963200000000010, 1700000000000, '{"command":["f"],"result":true}', 'q', 'g', 'f-succeeded', 'j-succeeded', false, false, 0, null, null, null, false),
  ('cached', 6963200000000011, 1699999999998, '{"command":["f"],"result":true}', 'q', null, 'f-succeeded', 'j-succeeded', true, true, 0, null, null, null, false),
  ('failed', 6963200000000012, 1700000000000, '{"command":["h"]}', 'q', 'g', 'f-failed', 'j-failed', false, false, 0, null, null, null, false),
  ('failed-with-it', 6963200000000013, 1700000000000, '{"command":["h"]}', 'q', null, 'f-failed', 'j-failed', true, false, 0, null, null, null, false),
  ('dependent', 6963200000000014, 1700000000001, '{"command":["i"],"dependsOn":["failed"]}', 'q', null, null, null, false, false, 1, 'FAILED', 'DEPENDENCY_FAILED', 'depends on failed, which is FAILED', false),
  ('cancelled', 6963200000000015, 1700000000000, '{"command":["k"]}', 'q', null, 'f-cancelled', 'j-cancelled', false, false, 0, null, null, null, false);

insert into job (id, fingerprint, role, state, ending, changes, attempt, first_request, queue, priority, seq, shape, policy, host, devices, exit_code, code, reason, progress, result, failures, avoid, ended_at) values
  ('j-queued', 'f-queued', 1, 'QUEUED', false, 2, 1, 'queued', 'q', 0, 6963200000000002, '{"gpus":1}', '{"attempts":{"APP":3},"timeoutMs":60000,"requiresResult":false}', null, null, 1, 'APP_FAILURE', 'exited with 1', null, null, '{"APP":1}', '["host-1"]', null),
  ('j-urgent', 'f-urgent', 1, 'QUEUED', false, 0, 0, 'urgent', 'q', 2, 6963200000000003, '{"cpus":1}', '{"attempts":{},"requiresResult":false}', null, null, null, null, null, null, null, null, null, null),
  ('j-placed', 'f-placed', 1, 'PLACED', false, 1, 1, 'placed', 'q', 0, 6963200000000004, '{"cpus":1}', '{"attempts":{},"requiresResult":false}', 'host-1', null, null, null, null, null, null, null, null, null),
  ('j-running', 'f-running', 1, 'RUNNING', false, 7, 2, 'running', 'q', 0, 6963200000000005, '{"gpus":1}', '{"attempts":{},"requiresResult":false}', 'host-1', '["GPU-1"]', null, null, null, '{"percent":40}', null, '{"HOST_LOST":1}', '["host-2"]', null),
  ('j-ending', 'f-ending', 1, 'RUNNING', true, 4, 1, 'ending', 'q', 0, 6963200000000008, '{"cpus":1}', '{"attempts":{},"requiresResult":false}', 'host-1', null, null, 'CANCELLED', 'cancelled on request', null, null, null, null, null),
  ('j-successor', 'f-ending', 2, 'QUEUED', false, 0, 0, 'successor', 'q', 0, 6963200000000009, '{"cpus":1}', '{"attempts":{},"requiresResult":false}', null, null, null, null, 'waits for an equal job to end', null, null, null, null, null),
  ('j-succeeded', 'f-succeeded', 1, 'SUCCEEDED', false, 4, 1, 'succeeded', 'q', 0, 6963200000000010, '{"cpus":1}', '{"attempts":{},"requiresResult":true}', 'host-1', null, 0, null, null, null, '[0.5,2]', null, null, 1700000009000),
  ('j-failed', 'f-failed', 0, 'FAILED', false, 4, 1, 'failed', 'q', 0, 6963200000000012, '{"cpus":1}', '{"attempts":{},"requiresResult":false}', 'host-1', null, 3, 'APP_FAILURE', 'exited with 3', null, null, '{"APP":1}', null, 1700000008000),
  ('j-cancelled', 'f-cancelled', 0, 'CANCELLED', false, 1, 0, 'cancelled', 'q', 0, 6963200000000015, '{"cpus":1}', '{"attempts":{},"requiresResult":false}', null, null, null, 'CANCELLED', 'cancelled on request', null, null, null, null, 1700000007000);

insert into ready (job, queue, shape, priority, seq) values
  ('j-queued', 'q', '{"gpus":1}', 0, 6963200000000002),
  ('j-urgent', 'q', '{"cpus":1}', 2, 6963200000000003);

insert into attempt (job, number, host, token, state, seq, gpus, cpu_slots, placed_at, not_after, devices, cancel_reason) values
  ('j-placed', 1, 'host-1', 'dG9rZW4=', 'PLACED', 0, 0, 1, 1700000001000, 1700000031000, null, null),
  ('j-running', 2, 'host-1', 'dG9rZW4=', 'RUNNING', 5, 1, 0, 1700000001000, 1700000031000, '["GPU-1"]', null),
  ('j-ending', 1, 'host-1', 'dG9rZW4=', 'RUNNING', 3, 0, 1, 1700000001000, 1700000031000, null, 'cancelled on request');

insert into dependency (dependent, depends_on) values ('waiting', 'running'), ('waiting', 'unposted');
insert into timer (kind, request, due_at) values (0, 'waiting', 1700000060000), (1, 'queued', 1700000070000);
insert into fan_out (kind, subject, after) values (1, 'j-failed', 'failed');
insert into due_status (request, marked) values ('failed-with-it', 3), ('succeeded', 1);
insert into host (id, fleet, epoch, nonce, journal, version, state, cordoned, reason, resources, seen_at) values
  ('host-1', 'default', 4, 'n', 'journal', '0.1', 'UP', true, 'new fans', '{"devices":[],"cpuSlots":8,"labels":{"zone":"a"}}', 1700000009000);
insert into fleet (name, epoch, scheduler, held_until) values ('default', 17, 'dispatcher-1', 1700000012000);
