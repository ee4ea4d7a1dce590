package io.stoker.agent.app;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.disk.DiskWatch;
import io.stoker.agent.host.Agent;
import java.util.List;
import java.util.Map;

/** The agent, as whoever looks after the disk needs it. */
record DiskAgent(Agent agent) implements DiskWatch.Agents {
  @Override
  public List<String> running() {
    return List.copyOf(agent.begun());
  }

  @Override
  public Map<AttemptKey, Long> ended() {
    return agent.ended();
  }

  @Override
  public void remove(AttemptKey key) {
    agent.removeRun(key);
  }

  @Override
  public void tell(Input input) {
    agent.loop().post(input);
  }
}
