package io.stoker.agent.passive;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.runner.Runner;
import io.stoker.agent.runner.RunnerContext;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.request.RunnerType;
import java.util.Optional;
import java.util.Set;

/**
 * Runs nothing: a person does the job, one at a time, and its answer comes by the dispatcher. What
 * there is to do is shown from what the dispatcher has, so a restart of the agent changes nothing.
 */
public record PassiveRunner(RunnerContext context) implements Runner {
  @Override
  public String type() {
    return RunnerType.PASSIVE.key();
  }

  @Override
  public int slots() {
    return 1;
  }

  @Override
  public void start(Place place, Allocation allocation) {
    AttemptKey key = AttemptKey.of(place);
    context.inputs().accept(new Input.Started(key, context.elsewhere()));
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known) {
    if (known.isEmpty()) {
      AttemptKey key = AttemptKey.of(place);
      context.inputs().accept(new Input.Started(key, context.elsewhere()));
    }
  }

  /** Nobody has to be waited for. */
  @Override
  public void kill(AttemptKey key, long graceMs) {
    context.inputs().accept(new Input.Exited(key, RunEnd.unseen()));
  }

  @Override
  public void remove(AttemptKey key) {}

  @Override
  public void clear(Set<AttemptKey> known) {}

  @Override
  public void close() {}
}
