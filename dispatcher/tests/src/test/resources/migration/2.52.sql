-- What came by then: groups with limits and counts, experiments, retries that wait, gangs, pools, kinds, room that is kept.
insert into request (id, seq, version, spec, resolved, queue, grp, fingerprint, job) values
  ('trial-1', 6963200000000101, 1700000000000, '{"command":["t","1"]}', null, 'q', 'sweep', 'f-trial-1', 'j-trial-1'),
  ('trial-2', 6963200000000102, 1700000000000, '{"command":["t","2"]}', null, 'q', 'sweep', 'f-trial-2', 'j-trial-2'),
  ('retrying', 6963200000000103, 1700000000000, '{"dependsOn":["succeeded"],"kind":"say","params":{"text":"hi"}}', '{"command":["say","hi"]}', 'q', 'g', 'f-retrying', 'j-retrying'),
  ('gang', 6963200000000104, 1700000000000, '{"command":["g"],"resources":{"gpus":1,"hosts":2}}', null, 'q', null, 'f-gang', 'j-gang'),
  ('small', 6963200000000105, 1700000000000, '{"command":["s"],"workers":"pool"}', null, 'q', null, 'f-small', 'j-small');

insert into job (id, fingerprint, role, state, changes, attempt, first_request, queue, priority, seq, shape, policy, host, devices, exit_code, code, reason, failures, avoid, retry_at, gang, usage) values
  ('j-trial-1', 'f-trial-1', 1, 'RUNNING', 3, 1, 'trial-1', 'q', 0, 6963200000000101, '{"cpus":1}', '{"attempts":{},"requiresResult":false,"numbers":2}', 'host-1', null, null, null, null, null, null, null, null, null),
  ('j-trial-2', 'f-trial-2', 1, 'QUEUED', 0, 0, 'trial-2', 'q', 0, 6963200000000102, '{"cpus":1}', '{"attempts":{},"requiresResult":false,"numbers":2}', null, null, null, null, null, null, null, null, null, null),
  ('j-retrying', 'f-retrying', 1, 'QUEUED', 4, 1, 'retrying', 'q', 0, 6963200000000103, '{"cpus":1}', '{"attempts":{"APP":2},"requiresResult":false}', 'host-1', null, 1, 'APP_FAILURE', 'exited with 1', '{"APP":1}', '{"host-1":["GPU-1"]}', 1700000080000, null, '{"wallMs":12}'),
  ('j-gang', 'f-gang', 1, 'RUNNING', 5, 1, 'gang', 'q', 0, 6963200000000104, '{"gpus":1,"hosts":2}', '{"attempts":{},"requiresResult":false}', 'host-1', '["GPU-2"]', null, null, null, null, null, null, '{"members":[{"host":"host-1","devices":["GPU-2"]},{"host":"host-2","devices":["GPU-7"]}],"address":"host-1:4711"}', null),
  ('j-small', 'f-small', 1, 'PLACED', 1, 1, 'small', 'q', 0, 6963200000000105, '{"pool":"pool"}', '{"attempts":{},"requiresResult":false}', 'host-1', null, null, null, null, null, null, null, null, null);

insert into attempt (job, number, rank, queue, host, token, state, seq, gpus, cpu_slots, placed_at, not_after, devices, pool, running_since) values
  ('j-trial-1', 1, 0, 'q', 'host-1', 'dG9rZW4=', 'RUNNING', 9, 0, 1, 1700000001000, 1700000031000, null, null, 1700000002000),
  ('j-gang', 1, 0, 'q', 'host-1', 'dG9rZW4=', 'RUNNING', 2, 1, 0, 1700000001000, 1700000031000, '["GPU-2"]', null, 1700000002000),
  ('j-gang', 1, 1, 'q', 'host-2', 'dG9rZW4=', 'RUNNING', 2, 1, 0, 1700000001000, 1700000031000, '["GPU-7"]', null, 1700000002000),
  ('j-small', 1, 0, 'q', 'host-1', 'dG9rZW4=', 'ACCEPTED', 1, 0, 0, 1700000001000, 1700000031000, null, 'pool', null);

insert into ready (job, queue, shape, priority, seq, rank, lane) values ('j-trial-2', 'q', '{"cpus":1}', 0, 6963200000000102, 6963200000000102, 'sweep');
insert into backoff (job, due_at, category) values ('j-retrying', 1700000080000, 'APP');
insert into group_entry (grp, total, succeeded, failed, cancelled, at) values ('g', 1, 0, 0, 0, 1700000000000), ('sweep', 2, 0, 0, 0, 1700000000000);
insert into group_budget (grp, retries, used) values ('g', 5, 2);
insert into experiment (name, creation, plan, after, state, reason, created_at) values
  ('sweep', 'message-1', '{"experiment":true,"objective":"MIN","parallel":1,"stopOnFailure":true,"resultLabels":["loss"],"stopping":{"policy":"MEDIAN","warmup":1,"steps":2,"factor":1.0,"finalStep":0}}', 'g', 'RUNNING', null, 1700000000000);
insert into intermediate_result (job, attempt, seq, at, score, result) values
  ('j-trial-1', 1, 3, 1700000003000, 0.5, '[0.5]'), ('j-trial-1', 1, 6, 1700000004000, 0.25, '[0.25]');
insert into early_stop_check (job, attempt, step) values ('j-trial-1', 1, 2);
insert into hold (job, queue, hosts, gpus, cpu_slots, since, free_since) values ('j-queued', 'q', '["host-2"]', 1, 0, 1700000005000, null);
