package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.spawn.Order;
import io.stoker.agent.spawn.Orphans;
import io.stoker.agent.supervise.BootClock;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Runs jobs: starts them through the launcher, follows their output, and ends their trees. What
 * happens is told as {@link Input}s.
 *
 * <p>Everything happens on one thread of its own. Exits arrive as they happen; the look at outputs
 * every {@value #LOOK_MS} ms runs only while there is a run.
 */
public final class JobRunner implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(JobRunner.class);
  private static final long LOOK_MS = 200;
  private static final long ROUND_MS = 50;

  /** How long after its first process an exit code may take to be written, ns. */
  private static final long EXIT_LAG = 2_000_000_000L;

  private final RunnerSettings settings;
  private final RunFolders folders;
  private final RunStarter starter;
  private final LogSink logs;
  private final Consumer<Input> inputs;
  private final BootClock clock;
  private final ProcessScan scan;
  private final Launcher launcher;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> Thread.ofPlatform().daemon().name("runs").unstarted(task));
  private final Map<String, Run> runs = new HashMap<>();

  /** Outputs of staged runs that have no process now. */
  private final Map<String, RunOutput> kept = new HashMap<>();

  /** Ended runs of which certainly no process is left, until they are removed. */
  private final Set<AttemptKey> clean = new HashSet<>();

  /** What workers of pools say and are told; from any thread. */
  private final Map<String, WorkerPipe> pipes = new ConcurrentHashMap<>();

  private final byte[] buffer = new byte[64 * 1024];
  private Optional<ScheduledFuture<?>> looking = Optional.empty();
  private boolean settling;
  private boolean rounds;

  /**
   * @param inputs told what happens, from the runner's thread
   * @throws IOException if the launcher cannot be started
   */
  public JobRunner(RunnerSettings settings, LogSink logs, Consumer<Input> inputs, BootClock clock)
      throws IOException {
    this.settings = settings;
    this.folders = new RunFolders(settings.data());
    this.logs = logs;
    this.inputs = inputs;
    this.clock = clock;
    this.scan = new ProcessScan(settings.owner());
    Map<String, String> passed = JobEnvironment.passed(System.getenv());
    this.starter = new RunStarter(folders, settings.owner(), passed);
    // Should the spawner die, its jobs' exit codes come here.
    Orphans.adopt();
    this.launcher = new Launcher(settings.data(), passed, new Answers());
  }

  /**
   * Starts a run, or another process of a staged one that has ended.
   *
   * @param starts which of the attempt's processes it is, from 1
   */
  public void launch(Place place, Allocation allocation, int starts) {
    run(() -> doLaunch(place, allocation, starts));
  }

  /** Starts a worker of a pool. */
  public void startWorker(Place place, Allocation allocation) {
    run(() -> doLaunch(place, allocation, 1));
  }

  /** Tells a worker something, in one line of JSON; in order, and without waiting for it. */
  public void tellWorker(AttemptKey key, JsonNode line) {
    WorkerPipe pipe = pipes.get(key.toString());
    if (pipe != null) {
      pipe.tell(line);
    }
  }

  /**
   * Says that an attempt which a worker of an earlier agent ran is over, once it certainly is:
   * strangers were killed before, on this thread.
   */
  public void lost(AttemptKey key) {
    run(() -> inputs.accept(new Input.Exited(key, RunEnd.unseen())));
  }

  /** Tells a staged run something, in one line of JSON. */
  public void tell(AttemptKey key, JsonNode command) {
    run(() -> StagePipe.write(folders.input(key), command));
  }

  /** Closes the log of a staged run, of which nothing more comes. */
  public void closeLog(AttemptKey key) {
    run(() -> Optional.ofNullable(kept.remove(key.toString())).ifPresent(RunOutput::close));
  }

  /**
   * Finds out what became of a run of an earlier agent.
   *
   * @param known its process, if that was journaled
   * @param starts which of the attempt's processes it is, from 1
   */
  public void adopt(Place place, Optional<RunProcess> known, int starts) {
    run(() -> new Adoption(this, place, known, starts).begin());
  }

  /** Ends a run; its end is told when nothing of it is left. */
  public void kill(AttemptKey key, long graceMs) {
    run(() -> doKill(key, graceMs));
  }

  /** Deletes what an ended run left on disk. */
  public void remove(AttemptKey key) {
    run(
        () -> {
          if (clean.remove(key)) {
            folders.recycle(key);
          } else {
            folders.remove(key);
          }
        });
  }

  /** Kills every process that carries the mark of a run which is not one of these. */
  public void killStrangers(Set<AttemptKey> known) {
    run(() -> new Leftovers(scan, folders).clear(known));
  }

  private interface Step {
    void run() throws IOException;
  }

  private void run(Step step) {
    try {
      thread.execute(() -> attempt(step));
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: what comes now is the next agent's to find out", e);
    }
  }

  private static void attempt(Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      LOG.error("the runner failed at a step", e);
    }
  }

  private void doLaunch(Place place, Allocation allocation, int starts) throws IOException {
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    switch (starter.prepare(place, allocation, starts)) {
      case RunStarter.Impossible(String why) -> notStarted(key, Cause.LAUNCH, why);
      case RunStarter.Ready(Order order) -> {
        Run run = newRun(place, false);
        run.starts = starts;
        if (RunStarter.worker(place)) {
          pipes.put(key.toString(), WorkerPipe.open(key, folders, inputs));
        }
        follow(run);
        launcher.launch(order);
      }
    }
  }

  Run newRun(Place place, boolean adopted) {
    RunOutput output = kept.remove(new AttemptKey(place.job(), place.attempt()).toString());
    if (output == null) {
      output =
          new RunOutput(place, folders, settings.logCap(), logs, inputs, System::currentTimeMillis);
    } else {
      output.goOn();
    }
    return new Run(place, output, adopted);
  }

  void follow(Run run) {
    runs.put(run.key.toString(), run);
    if (looking.isEmpty()) {
      looking =
          Optional.of(
              thread.scheduleWithFixedDelay(
                  () -> attempt(this::look), LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS));
    }
  }

  private void look() throws IOException {
    for (Run run : List.copyOf(runs.values())) {
      if (run.silent && !run.over) {
        lookAtState(run);
      }
      if (!run.over) {
        run.output.look(buffer);
      }
    }
  }

  /** A run of whose end no spawner tells speaks through its state file, or ends as a child. */
  private void lookAtState(Run run) throws IOException {
    switch (RunState.read(folders.state(run.key))) {
      case RunState.Ended ended -> over(run, OptionalInt.of(ended.exitCode()), false);
      case RunState.Alive alive when run.process.isEmpty() ->
          started(run, new OwnProcess(alive.pid(), alive.startTicks()));
      default -> {
        if (run.process.map(first -> !first.alive()).orElse(true)) {
          lookForExitCode(run);
        }
      }
    }
  }

  /** A spawner that died has left its children to this process. */
  private void lookForExitCode(Run run) throws IOException {
    OptionalInt code =
        run.process
            .filter(OwnProcess::isZombie)
            .map(first -> Orphans.exitCode(first.pid()))
            .orElse(OptionalInt.empty());
    if (code.isPresent()) {
      folders.writeExitCode(run.key, code.getAsInt());
      over(run, code, false);
    } else if (lagged(run)) {
      over(run, OptionalInt.empty(), false);
    }
  }

  private static boolean lagged(Run run) {
    long now = System.nanoTime();
    if (run.goneSince.isEmpty()) {
      run.goneSince = java.util.OptionalLong.of(now);
    }
    return now - run.goneSince.getAsLong() > EXIT_LAG;
  }

  /**
   * The first process of a run has ended.
   *
   * @param certain whether nothing of the run is left for certain; else that is settled
   */
  void over(Run run, OptionalInt exitCode, boolean certain) throws IOException {
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
      run(this::settle);
    }
  }

  private void settle() throws IOException {
    settling = false;
    List<Run> unsure = runs.values().stream().filter(run -> run.over && !run.killing()).toList();
    if (unsure.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    Map<String, Set<Long>> left = scan.scan();
    for (Run run : unsure) {
      if (!left.containsKey(run.key.toString())) {
        finish(run);
      } else {
        run.killAt(now + TimeUnit.MILLISECONDS.toNanos(settings.graceMs()));
        rounds();
      }
    }
  }

  private void finish(Run run) throws IOException {
    runs.remove(run.key.toString());
    RunEnd end = run.output.end(run.exitCode, buffer);
    if (RunStarter.staged(run.place)) {
      kept.put(run.key.toString(), run.output); // another process may follow
    } else {
      run.output.close();
    }
    tell(run.key, new Input.Exited(run.key, end));
    if (runs.isEmpty()) {
      looking.ifPresent(task -> task.cancel(false));
      looking = Optional.empty();
    }
  }

  private void doKill(AttemptKey key, long graceMs) throws IOException {
    Run run = runs.get(key.toString());
    if ((run == null || run.process.isEmpty()) && folders.revoke(key)) {
      runs.remove(key.toString());
      notStarted(key, Cause.UNCLAIMED, "it was ended before it began");
    } else if (run != null) {
      run.killAt(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMs));
      rounds();
    } // else its end has been told already
  }

  private void rounds() {
    if (!rounds) {
      rounds = true;
      run(this::round);
    }
  }

  private void round() throws IOException {
    rounds = false;
    List<Run> killing = runs.values().stream().filter(Run::killing).toList();
    if (killing.isEmpty()) {
      return;
    }
    Map<String, Set<Long>> marked = scan.scan();
    long now = System.nanoTime();
    for (Run run : killing) {
      boolean left = TreeKiller.round(run, marked, now);
      if (!left && run.over) {
        finish(run);
      }
    }
    if (runs.values().stream().anyMatch(Run::killing)) {
      rounds = true;
      thread.schedule(() -> attempt(this::round), ROUND_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void drop(Run run) {
    runs.remove(run.key.toString());
  }

  void started(Run run, OwnProcess process) {
    run.process = Optional.of(process);
    inputs.accept(
        new Input.Started(
            run.key,
            new RunProcess(
                process.pid(),
                process.startTicks(),
                settings.bootId(),
                System.currentTimeMillis(),
                clock.bootMs())));
  }

  void notStarted(AttemptKey key, Cause cause, String why) {
    tell(key, new NotStarted(key, cause, why));
  }

  /** Of a worker, not before everything that it has said. */
  private void tell(AttemptKey key, Input over) {
    WorkerPipe pipe = pipes.remove(key.toString());
    if (pipe == null) {
      inputs.accept(over);
    } else {
      pipe.end(() -> inputs.accept(over));
    }
  }

  RunFolders folders() {
    return folders;
  }

  String bootId() {
    return settings.bootId();
  }

  void later(Runnable step) {
    thread.schedule(() -> attempt(step::run), ROUND_MS, TimeUnit.MILLISECONDS);
  }

  private interface Change {
    void make(Run run) throws IOException;
  }

  /** The launcher's replies, taken to the runner's thread. */
  private final class Answers implements Launcher.Replies {
    @Override
    public void started(String name, long pid, long startTicks) {
      with(name, run -> JobRunner.this.started(run, new OwnProcess(pid, startTicks)));
    }

    @Override
    public void exited(String name, int exitCode, boolean clean) {
      with(name, run -> over(run, OptionalInt.of(exitCode), clean));
    }

    @Override
    public void refused(String name, String why) {
      with(
          name,
          run -> {
            drop(run);
            notStarted(run.key, Cause.REFUSED, why);
          });
    }

    @Override
    public void takenBefore(String name) {
      with(
          name,
          run -> {
            drop(run);
            new Adoption(JobRunner.this, run.place, Optional.empty(), run.starts).begin();
          });
    }

    @Override
    public void died() {
      run(() -> runs.values().stream().filter(run -> run.process.isPresent()).forEach(Run::hush));
    }

    private void with(String name, Change step) {
      run(
          () -> {
            Run run = runs.get(name);
            if (run != null) {
              step.make(run);
            }
          });
    }
  }

  /** Starts nothing any more. What runs goes on. */
  @Override
  public void close() {
    launcher.close();
    thread.shutdownNow();
  }
}
