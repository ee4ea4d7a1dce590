package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.staged.Said;
import io.stoker.agent.staged.StageLimits;
import java.util.ArrayList;
import java.util.List;

/** What the processes of one staged attempt have said and done, one after the other. */
final class StagedOutput {
  private final StageLimits limits;
  private final List<Said> said = new ArrayList<>();
  private int loads;
  private int trains;
  private boolean trained;

  StagedOutput(StageLimits limits) {
    this.limits = limits;
  }

  /** All lines, in order. */
  List<Said> lines() {
    return List.copyOf(said);
  }

  void said(Said line) {
    said.add(line);
  }

  /** A process begins what it was told. */
  void begins(AttemptKey key, boolean load, boolean loaded) {
    loads += load ? 1 : 0;
    trains += load ? 0 : 1;
    hold(!load || !loaded, "%s is told to load, and has", key);
    hold(load || loaded, "%s is told to train, and has not loaded", key);
    hold(!trained, "%s is told more, and has trained", key);
    hold(
        loads <= limits.loads() && trains <= limits.trains(),
        "%s is told to load %s times and to train %s times, of at most %s",
        key,
        loads,
        trains,
        limits);
  }

  void trained() {
    trained = true;
  }

  /** Whether all loads are used up. */
  boolean loadsOut() {
    return loads >= limits.loads();
  }

  /** Whether all trainings are. */
  boolean trainsOut() {
    return trains >= limits.trains();
  }
}
