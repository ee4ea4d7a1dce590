package io.stoker.agent.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.loop.Runs;
import io.stoker.agent.runner.MeetingPorts;
import io.stoker.agent.runner.Runners;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Optional;

/** What runs by the runners of a host. */
final class HostRuns implements Runs {
  private final Runners runners;
  private final MeetingPorts meetings;

  HostRuns(Runners runners, MeetingPorts meetings) {
    this.runners = runners;
    this.meetings = meetings;
  }

  @Override
  public void launch(Place place, Allocation allocation, int starts) {
    meetings.vacate(new AttemptKey(place.job(), place.attempt()));
    runners.start(place, allocation, starts);
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known, int starts) {
    runners.adopt(place, known, starts);
  }

  @Override
  public void kill(AttemptKey key, long graceMs) {
    runners.kill(key, graceMs);
  }

  @Override
  public void remove(AttemptKey key) {
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
  public void startWorker(Place place, Allocation allocation) {
    runners.processes().startWorker(place, allocation);
  }

  @Override
  public void tellWorker(AttemptKey key, List<JsonNode> lines) {
    runners.processes().tellWorker(key, lines);
  }

  @Override
  public void lost(AttemptKey key) {
    runners.processes().lost(key);
  }
}
