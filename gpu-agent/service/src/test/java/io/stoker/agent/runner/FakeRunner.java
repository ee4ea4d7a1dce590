package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.ToAgent.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Writes down what it is asked. */
final class FakeRunner implements Runner {
  final List<String> asked = new ArrayList<>();
  private final String type;

  FakeRunner(String type) {
    this.type = type;
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public int slots() {
    return 3;
  }

  @Override
  public void start(Place place, Allocation allocation) {
    asked.add("start " + place.job());
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known) {
    asked.add("adopt " + place.job() + known.map(process -> " " + process.pid()).orElse(""));
  }

  @Override
  public void kill(AttemptKey key, long graceMs) {
    asked.add("kill " + key + " " + graceMs);
  }

  @Override
  public void remove(AttemptKey key) {
    asked.add("remove " + key);
  }

  @Override
  public void clear(Set<AttemptKey> known) {
    asked.add("clear " + known.size());
  }

  @Override
  public void close() {
    asked.add("close");
  }
}
