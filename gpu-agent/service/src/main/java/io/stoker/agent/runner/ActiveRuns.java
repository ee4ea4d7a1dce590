package io.stoker.agent.runner;

import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.spawn.OwnProcess;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * The processes that are followed: their outputs, until nothing of them is left. The look at
 * outputs every {@value #LOOK_MS} ms runs only while there is a run. Touched by the runner's thread
 * alone.
 */
final class ActiveRuns {
  private static final Logger LOG = Logger.getLogger(ActiveRuns.class);
  private static final long LOOK_MS = 200;
  private static final long ROUND_MS = 50;

  /** How long after its first process an exit code may take to be written, ns. */
  private static final long EXIT_LAG = 2_000_000_000L;

  /** Told what becomes of them. */
  interface Told {
    /** A first process has shown itself. */
    void started(Run run, OwnProcess process);

    /** Nothing of it is left. */
    void ended(Run run, RunEnd end);
  }

  private final RunFolders folders;
  private final ProcessScan scan;
  private final GroupedRuns groups;
  private final long graceMs;
  private final RunThread thread;
  private final Told told;
  private final Map<RunKey, Run> runs = new HashMap<>();

  /** Ended runs of which certainly no process is left, until they are removed. */
  private final Set<RunKey> clean = new HashSet<>();

  private final byte[] buffer = new byte[64 * 1024];
  private Optional<ScheduledFuture<?>> looking = Optional.empty();
  private boolean settling;
  private boolean rounds;

  /**
   * @param graceMs between SIGTERM and SIGKILL for what a job leaves behind
   */
  ActiveRuns(
      RunFolders folders,
      ProcessScan scan,
      GroupedRuns groups,
      long graceMs,
      RunThread thread,
      Told told) {
    this.groups = groups;
    this.folders = folders;
    this.scan = scan;
    this.graceMs = graceMs;
    this.thread = thread;
    this.told = told;
  }

  Optional<Run> find(RunKey key) {
    return Optional.ofNullable(runs.get(key));
  }

  void follow(Run run) {
    runs.put(run.key, run);
    if (looking.isEmpty()) {
      looking = Optional.of(thread.each(LOOK_MS, this::look));
    }
    if (run.killing()) {
      rounds();
    }
  }

  void drop(Run run) {
    runs.remove(run.key);
  }

  /** The spawner is gone that would have told of what it started. */
  void hush() {
    runs.values().stream().filter(run -> run.process.isPresent()).forEach(Run::hush);
  }

  /** First processes of those of whose end no spawner tells, and that has not been seen. */
  Set<Long> awaited() {
    Set<Long> awaited = new HashSet<>();
    runs.values().stream()
        .filter(run -> run.silent && !run.over)
        .forEach(run -> run.process.ifPresent(first -> awaited.add(first.pid())));
    return awaited;
  }

  /** Whether certainly no process of an ended run is left; forgets it. */
  boolean takeClean(RunKey key) {
    return clean.remove(key);
  }

  private void look() throws IOException {
    for (Run run : List.copyOf(runs.values())) {
      try {
        look(run);
      } catch (IOException | RuntimeException e) {
        // What is wrong with one run is of no concern to the others.
        LOG.warnf(e, "run %s could not be looked at", run.key);
      }
    }
  }

  private void look(Run run) throws IOException {
    if (run.silent && !run.over) {
      lookAtState(run);
    }
    if (!run.over) {
      run.output.look(buffer);
    }
  }

  /** A run of whose end no spawner tells speaks through its state file, or ends as a child. */
  private void lookAtState(Run run) throws IOException {
    switch (RunState.read(folders.state(run.key))) {
      case RunState.Ended ended -> over(run, OptionalInt.of(ended.exitCode()), false);
      case RunState.Alive alive when run.process.isEmpty() ->
          told.started(run, new OwnProcess(alive.pid(), alive.startTicks()));
      default -> {
        if (run.process.map(first -> !first.alive()).orElse(true)) {
          lookForExitCode(run);
        }
      }
    }
  }

  /** A spawner that died has left its children to its keeper, or to this process. */
  private void lookForExitCode(Run run) throws IOException {
    OptionalInt code = run.process.map(OwnProcess::exitCode).orElse(OptionalInt.empty());
    if (code.isPresent()) {
      note(run, code.getAsInt());
      over(run, code, false);
    } else if (lagged(run)) {
      // It may have been written since it was read, however long ago that was.
      RunState last = RunState.read(folders.state(run.key));
      over(
          run,
          last instanceof RunState.Ended ended
              ? OptionalInt.of(ended.exitCode())
              : OptionalInt.empty(),
          false);
    }
  }

  /** For the next agent; on a full disk this one alone knows. */
  private void note(Run run, int code) {
    try {
      folders.writeExitCode(run.key, code);
    } catch (IOException e) {
      LOG.warnf("exit code %d of %s is not written: %s", code, run.key, e);
    }
  }

  private static boolean lagged(Run run) {
    long now = System.nanoTime();
    if (run.goneSince.isEmpty()) {
      run.goneSince = OptionalLong.of(now);
    }
    return now - run.goneSince.getAsLong() > EXIT_LAG;
  }

  /**
   * The first process of a run has ended.
   *
   * @param certain whether nothing of the run is left for certain; else that is settled
   */
  void over(Run run, OptionalInt exitCode, boolean certain) {
    run.over = true;
    run.exitCode = exitCode;
    if (certain) {
      clean.add(run.key);
      finish(run);
      return;
    }
    clean.remove(run.key);
    if (!settling) {
      settling = true;
      // After what is queued already, so that one scan serves all that have ended by then.
      thread.run(this::settle);
    }
  }

  private void settle() throws IOException {
    settling = false;
    List<Run> unsure =
        runs.values().stream().filter(run -> run.over && !run.gone && !run.killing()).toList();
    if (unsure.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    RunProcesses left = scan.scan();
    for (Run run : unsure) {
      String name = run.key.toString();
      if (!left.of(name).isEmpty() || !groups.processes(name).isEmpty()) {
        run.killAt(now + TimeUnit.MILLISECONDS.toNanos(graceMs));
        rounds();
      } else if (left.complete()) {
        finish(run);
      } else if (!settling) {
        settling = true;
        thread.later(ROUND_MS, this::settle);
      }
    }
  }

  /** In a step of its own: what is wrong with one run is of no concern to the others. */
  private void finish(Run run) {
    if (!run.gone) {
      run.gone = true;
      thread.run(() -> run.output.rest(thread, buffer, () -> ended(run)));
    }
  }

  private void ended(Run run) {
    drop(run);
    if (runs.isEmpty()) {
      looking.ifPresent(task -> task.cancel(false));
      looking = Optional.empty();
    }
    told.ended(run, run.output.end(run.exitCode).took(run.usage));
  }

  void kill(Run run, long withinMs) {
    run.killAt(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs));
    rounds();
  }

  private void rounds() {
    if (!rounds) {
      rounds = true;
      thread.run(this::round);
    }
  }

  private void round() throws IOException {
    rounds = false;
    List<Run> killing = runs.values().stream().filter(Run::killing).toList();
    if (killing.isEmpty()) {
      return;
    }
    RunProcesses found = scan.scan();
    long now = System.nanoTime();
    for (Run run : killing) {
      boolean left = TreeKiller.round(run, found, groups, now);
      if (!left && run.over) {
        finish(run);
      }
    }
    if (runs.values().stream().anyMatch(Run::killing)) {
      rounds = true;
      thread.later(ROUND_MS, this::round);
    }
  }
}
