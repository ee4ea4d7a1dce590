-- What came by then: who posted it, when it began, attempts that are over, whose work answers.
insert into request (id, seq, version, spec, queue, fingerprint, job, ended, code, reason, sent_by, queued_at) values
  ('rejected', 0, 1700000000000, null, null, null, null, 'REJECTED', 'INVALID_REQUEST', 'command: expected a list', null, null),
  ('again', 6963200000000201, 1700000000000, '{"command":["x"],"dependsOn":[{"condition":"ended","id":"failed"},"succeeded"]}', 'q', 'f-again', 'j-again', null, null, null, 'ada', 1700000000500),
  ('answered', 6963200000000202, 1700000000000, '{"command":["y"],"dependsOn":["cancelled"]}', 'q', 'f-answered', 'j-answered', null, null, null, 'ada', null);

insert into job (id, fingerprint, role, state, changes, attempt, first_request, queue, priority, seq, shape, policy, host, exit_code, result, failures, started_at, ended_at, answered_by) values
  ('j-again', 'f-again', 1, 'RUNNING', 6, 2, 'again', 'q', 0, 6963200000000201, '{"cpus":1}', '{"attempts":{},"numbersGiven":7}', 'host-1', null, null, '{"HOST_LOST":1}', 1700000004000, null, null),
  ('j-answered', 'f-answered', 0, 'SUCCEEDED', 2, 0, 'answered', 'q', 0, 6963200000000202, '{"cpus":1}', '{"attempts":{}}', null, 0, '7', null, null, 1700000009000, '{"request":"other","job":"j-other"}');

insert into attempt (job, number, rank, queue, host, token, state, seq, gpus, cpu_slots, placed_at, not_after, host_memory, runner, running_since) values
  ('j-again', 2, 0, 'q', 'host-1', 'dG9rZW4=', 'RUNNING', 2, 0, 1, 1700000003000, 1700000033000, 1024, null, 1700000004000);
insert into past_attempt (job, slot, rank, number, host, placed_at, running_since, ended_at, how, category, reason) values
  ('j-again', 0, 0, 1, 'host-2', 1700000001000, 1700000002000, 1700000003000, 'FAILED', 'HOST_LOST', 'host-2 is gone');
insert into due_status (request, marked, queue) values ('forgotten', 1, 'q');
