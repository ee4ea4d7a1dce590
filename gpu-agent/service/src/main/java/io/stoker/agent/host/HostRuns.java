package io.stoker.agent.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.loop.Runs;
import io.stoker.agent.runner.RendezvousPorts;
import io.stoker.agent.runner.Runners;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.List;
import java.util.Optional;

/** Runs jobs by the runners of a host. */
record HostRuns(Runners runners, RendezvousPorts meetings) implements Runs {
  @Override
  public void launch(Place place, Allocation allocation, int starts) {
    meetings.vacate(AttemptKey.of(place));
    runners.start(place, allocation, starts);
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known, int starts) {
    runners.adopt(place, known, starts);
  }

  @Override
  public void kill(RunKey key, long graceMs) {
    runners.kill(key, graceMs);
  }

  @Override
  public void remove(RunKey key) {
    runners.remove(key);
  }

  @Override
  public void toldBefore(AttemptKey key, ToldBefore told) {
    runners.processes().toldBefore(key, told);
  }

  @Override
  public void retell(AttemptKey key, String request) {
    runners.processes().retell(key, request);
  }

  @Override
  public void tell(AttemptKey key, JsonNode command) {
    runners.processes().tell(key, command);
  }

  @Override
  public void closeLog(AttemptKey key) {
    runners.processes().closeLog(key);
  }

  @Override
  public void startWorker(WorkerKey key, Workload.Process process, Allocation allocation) {
    runners.processes().startWorker(key, process, allocation);
  }

  @Override
  public void tellWorker(WorkerKey key, List<JsonNode> lines) {
    runners.processes().tellWorker(key, lines);
  }

  @Override
  public void lost(AttemptKey key) {
    runners.processes().lost(key);
  }
}
