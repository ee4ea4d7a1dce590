package io.stoker.agent.runner;

import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunUsage;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.Rusage;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/** Takes what the spawner says to the runner's thread, and to the run that it is about. */
record SpawnerWords(RunThread thread, ActiveRuns runs, Heard heard) implements Launcher.Replies {
  private static final double MICROS_PER_MS = 1000;

  /** What follows beyond the runs that are followed; on the runner's thread but for the last. */
  interface Heard {
    void started(Run run, OwnProcess process);

    void refused(Run run, String why);

    void takenBefore(Run run);

    void unavailable(Run run, String why) throws IOException;

    /** Another spawner is started; from the thread that reads the replies. */
    void died();
  }

  private interface Change {
    void make(Run run) throws IOException;
  }

  @Override
  public void started(String name, long pid, long startTicks) {
    with(name, run -> heard.started(run, new OwnProcess(pid, startTicks)));
  }

  @Override
  public void exited(String name, int exitCode, boolean clean, Optional<Rusage> usage) {
    with(
        name,
        run -> {
          run.usage = usage.map(SpawnerWords::usage);
          runs.over(run, OptionalInt.of(exitCode), clean);
        });
  }

  private static RunUsage usage(Rusage told) {
    return new RunUsage(Math.round(told.cpuMicros() / MICROS_PER_MS), told.peakMemory());
  }

  @Override
  public void refused(String name, String why) {
    with(
        name,
        run -> {
          runs.drop(run);
          heard.refused(run, why);
        });
  }

  @Override
  public void takenBefore(String name) {
    with(
        name,
        run -> {
          runs.drop(run);
          heard.takenBefore(run);
        });
  }

  @Override
  public void unavailable(String name, String why) {
    with(
        name,
        run -> {
          runs.drop(run);
          heard.unavailable(run, why);
        });
  }

  @Override
  public void died() {
    thread.run(runs::hush);
    heard.died();
  }

  private void with(String name, Change step) {
    thread.run(
        () -> {
          Optional<Run> run = RunKey.parse(name).flatMap(runs::find);
          if (run.isPresent()) {
            step.make(run.get());
          }
        });
  }
}
