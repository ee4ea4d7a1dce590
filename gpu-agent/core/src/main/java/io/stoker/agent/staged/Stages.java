package io.stoker.agent.staged;

import java.util.List;
import java.util.Optional;

/**
 * The progress of a staged attempt through its stages.
 *
 * @param command number of the newest command to its process, 0 before the first; rises through all
 *     of its processes, so that an answer to an older one is told apart
 * @param loads that were begun
 * @param trains that were begun
 * @param starts of a process
 * @param device on which it trains
 * @param times how long it was in its stages
 * @param sees ids of the devices that its process sees, as it counts them; empty if that is not
 *     known
 */
public record Stages(
    Stage stage,
    int command,
    int loads,
    int trains,
    int starts,
    Optional<String> device,
    StageTimes times,
    List<String> sees) {
  public static final Stages NONE =
      new Stages(Stage.WAITING, 0, 0, 0, 0, Optional.empty(), StageTimes.NONE, List.of());

  public Stages {
    times = times == null ? StageTimes.NONE : times; // of a journal that does not tell
    sees = sees == null ? List.of() : List.copyOf(sees);
  }

  /** It gets a process. */
  public Stages admitted() {
    return new Stages(
        Stage.AVAILABLE, command, loads, trains, starts + 1, Optional.empty(), times, List.of());
  }

  /** Its process sees these devices, in this order. */
  public Stages seeing(List<String> ids) {
    return new Stages(stage, command, loads, trains, starts, device, times, ids);
  }

  public Stages loading() {
    return new Stages(
        Stage.LOADING, command + 1, loads + 1, trains, starts, Optional.empty(), times, sees);
  }

  /**
   * @param on the device; empty for a job on CPU slots
   */
  public Stages training(Optional<String> on) {
    return new Stages(Stage.TRAINING, command + 1, loads, trains + 1, starts, on, times, sees);
  }

  Stages in(Stage next) {
    return new Stages(
        next,
        command,
        loads,
        trains,
        starts,
        next.trains() ? device : Optional.empty(),
        times,
        sees);
  }

  /**
   * The same, which begins now.
   *
   * @param before where it stood until now
   * @param now ms since the machine's start
   */
  public Stages after(Stages before, long now) {
    StageTimes all = before.times.until(before.stage, now);
    return new Stages(stage, command, loads, trains, starts, device, all, sees);
  }
}
