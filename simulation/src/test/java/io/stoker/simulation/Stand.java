package io.stoker.simulation;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.simulation.Machine.Run;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Where something stands when a fault strikes it: a job, an attempt, a host, a process, a worker.
 */
enum Stand {
  JOB_QUEUED,
  JOB_BACKS_OFF,
  JOB_PLACED,
  JOB_RUNNING,
  JOB_SUCCEEDED,
  JOB_FAILED,
  JOB_CANCELLED,
  ATTEMPT_PLACED,
  ATTEMPT_ACCEPTED,
  ATTEMPT_RUNNING,
  ATTEMPT_TOLD_TO_END,
  HOST_UP,
  HOST_LOST,
  HOST_CORDONED,
  HOST_REFUSES,
  PROCESS_ASKED,
  PROCESS_REVOKED,
  PROCESS_ALIVE,
  PROCESS_ENDED,
  WORKER_STARTING,
  WORKER_IDLE,
  WORKER_BUSY;

  /** Where all stands. */
  static Set<Stand> all(Tables tables, List<Machine> machines) {
    Set<Stand> found = EnumSet.noneOf(Stand.class);
    tables.jobs.values().forEach(job -> found.add(of(job)));
    tables.attempts.values().forEach(attempt -> add(found, attempt));
    tables.hosts.values().forEach(host -> add(found, host));
    machines.forEach(machine -> add(found, machine));
    return found;
  }

  /** Where that stands which is on one host. */
  static Set<Stand> on(String host, Tables tables, List<Machine> machines) {
    Set<Stand> found = EnumSet.noneOf(Stand.class);
    tables.attempts.values().stream()
        .filter(attempt -> attempt.host().equals(host))
        .forEach(
            attempt -> {
              add(found, attempt);
              found.add(of(tables.jobs.get(attempt.job())));
            });
    if (tables.hosts.containsKey(host)) {
      add(found, tables.hosts.get(host));
    }
    for (Machine machine : machines) {
      if (machine.host.equals(host)) {
        add(found, machine);
        machine.runs.keySet().stream()
            .map(key -> tables.jobs.get(key.job()))
            .filter(job -> job != null)
            .forEach(job -> found.add(of(job)));
      }
    }
    return found;
  }

  private static Stand of(JobRow job) {
    return switch (job.state()) {
      case QUEUED -> job.retryAt() == null ? JOB_QUEUED : JOB_BACKS_OFF;
      case PLACED -> JOB_PLACED;
      case RUNNING -> JOB_RUNNING;
      case SUCCEEDED -> JOB_SUCCEEDED;
      case FAILED -> JOB_FAILED;
      case CANCELLED -> JOB_CANCELLED;
    };
  }

  private static void add(Set<Stand> found, AttemptRow attempt) {
    found.add(
        switch (attempt.state()) {
          case PLACED -> ATTEMPT_PLACED;
          case ACCEPTED -> ATTEMPT_ACCEPTED;
          case RUNNING -> ATTEMPT_RUNNING;
        });
    if (attempt.cancelReason() != null) {
      found.add(ATTEMPT_TOLD_TO_END);
    }
  }

  private static void add(Set<Stand> found, HostRow host) {
    found.add(host.state() == HostRow.State.UP ? HOST_UP : HOST_LOST);
    if (host.cordoned()) {
      found.add(HOST_CORDONED);
    }
    if (host.resources().refuses() != null) {
      found.add(HOST_REFUSES);
    }
  }

  private static void add(Set<Stand> found, Machine machine) {
    for (Run run : machine.runs.values()) {
      found.add(
          switch (run.stage) {
            case ASKED -> PROCESS_ASKED;
            case REVOKED -> PROCESS_REVOKED;
            case ALIVE -> PROCESS_ALIVE;
            case ENDED -> PROCESS_ENDED;
          });
    }
    machine
        .workers()
        .all()
        .forEach(
            worker -> {
              switch (worker.state()) {
                case ASKED, STARTING -> found.add(WORKER_STARTING);
                case IDLE -> found.add(WORKER_IDLE);
                case BUSY -> found.add(WORKER_BUSY);
                case STOPPING, GONE -> {}
              }
            });
  }
}
