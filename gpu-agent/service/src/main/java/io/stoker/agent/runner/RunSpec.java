package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.message.ToAgent.Given;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.Optional;

/**
 * The specification by which a run of this host is started.
 *
 * @param given what its job is given; nothing of a worker's
 * @param gang to which its attempt belongs, if it does
 */
record RunSpec(RunKey key, Given given, Optional<Gang> gang, Workload.Started workload) {
  static RunSpec of(Place place) {
    return new RunSpec(
        AttemptKey.of(place),
        place.given(),
        Optional.ofNullable(place.gang()),
        (Workload.Started) place.workload());
  }

  static RunSpec of(WorkerKey key, Workload.Process process) {
    return new RunSpec(key, Given.NOTHING, Optional.empty(), process);
  }

  Workload.Program program() {
    return workload.program();
  }

  /** Whether its process tells of stages, and another one may follow. */
  boolean staged() {
    return workload instanceof Workload.Staged;
  }

  /** Whether its process is told what to do, line by line. */
  boolean told() {
    return staged() || key instanceof WorkerKey;
  }
}
