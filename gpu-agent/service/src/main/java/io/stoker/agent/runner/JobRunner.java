package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.report.LogSink;
import io.stoker.agent.spawn.BootClock;
import io.stoker.agent.spawn.Failure;
import io.stoker.agent.spawn.Order;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.Subreaper;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Runs jobs as processes of this host: starts them through the launcher, follows their output, and
 * ends their trees. What happens is told as {@link Input}s.
 *
 * <p>Everything happens on one thread of its own. Exits arrive as they happen.
 */
public final class JobRunner implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(JobRunner.class);

  /** Between two tries of what the disk does not allow. */
  static final long AGAIN_MS = 1_000;

  /** So long a run that this host is short of something for keeps what it was given. */
  private static final long SHORT_MS = 5_000;

  /** Between two looks for keepers of spawners before this, while there are any. */
  private static final long SWEEP_MS = 2_000;

  private final RunnerSettings settings;
  private final OomKills oomKills = OomKills.ofThisHost();
  private final RunFolders folders;
  private final RunStarter starter;
  private final RunOutputs outputs;
  private final GroupedRuns groups;
  private final Inputs inputs;
  private final BootClock clock;
  private final ProcessScan scan;
  private final Launcher launcher;
  private final RunThread thread = new RunThread("runs");
  private final ActiveRuns runs;
  private final EndedRuns ended;
  private final Keepers keepers;
  private final WorkerPipes pipes;

  /** Outputs of staged runs that have no process now. */
  private final Map<RunKey, RunOutput> kept = new HashMap<>();

  /** Runs whose spawner, or whose folder, does not say yet what became of them. */
  private final Map<RunKey, Adoption> unfound = new HashMap<>();

  /**
   * @param inputs told what happens, from the runner's thread
   * @throws IOException if the launcher cannot be started
   */
  public JobRunner(RunnerSettings settings, LogSink logs, Inputs inputs, BootClock clock)
      throws IOException {
    this.settings = settings;
    this.folders = new RunFolders(settings.owner().data(), settings.terms().confinement().users());
    this.outputs = new RunOutputs(folders, settings, logs, inputs, System::currentTimeMillis);
    this.inputs = inputs;
    this.clock = clock;
    this.scan = new ProcessScan(settings.owner().mark());
    this.groups = new GroupedRuns(settings.groups(), settings.terms().groups());
    this.runs =
        new ActiveRuns(
            folders, scan, groups, settings.terms().grace().toMillis(), thread, new Found());
    this.ended =
        new EndedRuns(thread, folders, outputs, runs, settings.terms().keepEnded(), inputs);
    Map<String, String> passed = JobEnvironment.passed(System.getenv());
    this.starter =
        new RunStarter(
            folders,
            settings.owner().mark(),
            passed,
            settings.terms().confinement(),
            settings.secrets(),
            settings.affinity());
    this.pipes = new WorkerPipes(folders, inputs);
    this.keepers = new Keepers(settings.owner().data());
    // Should spawner and keeper die, their jobs' exit codes come here.
    Subreaper.adopt();
    this.launcher =
        new Launcher(
            settings.owner().data(),
            settings.owner().mark(),
            passed,
            settings.terms().confinement().users().gains(),
            new SpawnerWords(thread, runs, new Heard()),
            trouble -> inputs.accept(new Input.PartJudged(Part.SPAWNER, trouble)));
    sweepLater();
  }

  /** What an earlier agent ran has shown itself by then. */
  private void sweepLater() {
    thread.later(
        SWEEP_MS,
        () -> {
          boolean left = true;
          try {
            left = keepers.sweep(launcher.keeper(), runs.awaited());
          } finally {
            if (left) {
              sweepLater();
            }
          }
        });
  }

  /**
   * Starts a run, or another process of a staged one that has ended.
   *
   * @param starts which of the attempt's processes it is, from 1
   */
  public void launch(Place place, Allocation allocation, int starts) {
    thread.run(() -> launch(RunSpec.of(place), allocation, starts));
  }

  /** Starts a worker of a pool. */
  public void startWorker(WorkerKey key, Workload.Process process, Allocation allocation) {
    thread.run(() -> launch(RunSpec.of(key, process), allocation, 1));
  }

  /** Tells a worker something, each in a line of JSON; in order, and without waiting for it. */
  public void tellWorker(WorkerKey key, List<JsonNode> lines) {
    pipes.tell(key, lines);
  }

  /**
   * Says that an attempt which a worker of an earlier agent ran is over, once it certainly is:
   * strangers were killed before, on this thread.
   */
  public void lost(AttemptKey key) {
    thread.run(() -> inputs.accept(new Input.Exited(key, RunEnd.unseen())));
  }

  /** Tells a staged run something, in one line of JSON. */
  public void tell(AttemptKey key, JsonNode command) {
    thread.run(() -> StagePipe.write(folders.input(key), command));
  }

  /** Closes the log of a staged run, of which nothing more comes. */
  public void closeLog(AttemptKey key) {
    thread.run(() -> Optional.ofNullable(kept.remove(key)).ifPresent(RunOutput::close));
  }

  /** Says what earlier agents told of the output of a run that is about to be taken over. */
  public void toldBefore(AttemptKey key, ToldBefore told) {
    outputs.toldBefore(key, told);
  }

  /**
   * Finds out what became of a run of an earlier agent.
   *
   * @param known its process, if that was journaled
   * @param starts which of the attempt's processes it is, from 1
   */
  public void adopt(Place place, Optional<RunProcess> known, int starts) {
    thread.run(
        () -> new Adoption(this, RunSpec.of(place), known, starts, OptionalLong.empty()).begin());
  }

  /** Ends a run; its end is told when nothing of it is left. */
  public void kill(RunKey key, long graceMs) {
    thread.run(() -> doKill(key, graceMs));
  }

  /**
   * Sends what an ended run has written, as far as the broker may not have it: an earlier agent saw
   * its end.
   *
   * @param request whose output it is
   */
  public void retell(AttemptKey key, String request) {
    ended.retell(key, request);
  }

  /** Deletes what an ended run left on disk, once the broker has what it wrote. */
  public void remove(RunKey key) {
    settings.secrets().forget(key.name());
    ended.remove(key);
  }

  /**
   * Clears away what an earlier agent left of runs which are none of these.
   *
   * @param elsewhere runs that other runners end
   * @return completes when no process of others is left
   */
  CompletableFuture<Void> killStrangers(Set<AttemptKey> known, Set<AttemptKey> elsewhere) {
    return ended.clear(
        new Leftovers(settings.owner().data(), scan, folders, groups), known, elsewhere);
  }

  private void launch(RunSpec spec, Allocation allocation, int starts) {
    RunKey key = spec.key();
    Order order;
    try {
      switch (starter.prepare(spec, allocation, starts)) {
        case RunStarter.Impossible(String why) -> {
          notStarted(key, Cause.LAUNCH, why);
          return;
        }
        case RunStarter.Ready(Order ready, Optional<String> kept) -> {
          if (key instanceof WorkerKey worker) {
            pipes.open(worker, settings.secrets().masks());
          }
          Run run = newRun(spec, false);
          run.starts = starts;
          run.kept = kept;
          order = groups.order(spec, ready);
          runs.follow(run);
        }
      }
    } catch (IOException e) {
      notStarted(key, Cause.REFUSED, folders.unwritten(key, e, inputs));
      return;
    } catch (RuntimeException e) {
      LOG.warnf(e, "%s cannot be prepared", key);
      notStarted(key, Cause.LAUNCH, "it cannot be prepared: " + e);
      return;
    }
    launcher.launch(order);
  }

  Run adopted(RunSpec spec) {
    return newRun(spec, true);
  }

  private Run newRun(RunSpec spec, boolean adopted) {
    RunOutput output = kept.remove(spec.key());
    if (output == null) {
      output = outputs.open(spec);
    } else {
      output.goOn();
    }
    Run run = new Run(spec, output, adopted);
    run.oomKills = oomKills.before();
    return run;
  }

  void follow(Run run) {
    runs.follow(run);
  }

  void over(Run run, OptionalInt exitCode) {
    runs.over(run, exitCode, false);
  }

  private void doKill(RunKey key, long graceMs) throws IOException {
    Optional<Run> run = runs.find(key);
    if (unfound.containsKey(key)) {
      unfound.get(key).killAt(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMs));
    } else if (run.flatMap(known -> known.process).isEmpty() && revoked(key, graceMs)) {
      run.ifPresent(runs::drop);
      notStarted(key, Cause.UNCLAIMED, NotStarted.UNBEGUN);
    } else {
      // If it is not known, its end has been told already.
      run.ifPresent(known -> runs.kill(known, graceMs));
    }
  }

  /** On a full disk it may not be possible to say so yet. */
  private boolean revoked(RunKey key, long graceMs) throws IOException {
    try {
      return folders.revoke(key);
    } catch (IOException e) {
      thread.later(AGAIN_MS, () -> doKill(key, graceMs));
      throw e;
    }
  }

  void started(Run run, OwnProcess process) {
    run.process = Optional.of(process);
    inputs.accept(
        new Input.Started(
            run.key,
            new RunProcess(
                process.pid(),
                process.startTicks(),
                settings.owner().bootId(),
                System.currentTimeMillis(),
                clock.bootMs())));
  }

  /** Of what is short here the next job would find no more than this one. */
  private void refused(Run run, String why) {
    thread.later(
        why.startsWith(Failure.SHORT) ? SHORT_MS : 0,
        () -> notStarted(run.key, Cause.REFUSED, why));
  }

  void notStarted(RunKey key, Cause cause, String why) {
    pipes.over(key, new NotStarted(key, cause, why));
  }

  RunFolders folders() {
    return folders;
  }

  RunOutputs outputs() {
    return outputs;
  }

  String bootId() {
    return settings.owner().bootId();
  }

  /** Goes on with it after so many ms. */
  void later(long ms, Adoption adoption) {
    unfound.put(adoption.key(), adoption);
    thread.later(
        ms,
        () -> {
          unfound.remove(adoption.key());
          adoption.begin();
        });
  }

  /** What is seen of the runs themselves. */
  private final class Found implements ActiveRuns.Told {
    @Override
    public void started(Run run, OwnProcess process) {
      JobRunner.this.started(run, process);
    }

    @Override
    public void ended(Run run, RunEnd end) {
      try {
        if (run.spec.staged()) {
          kept.put(run.key, run.output); // another process may follow
        } else {
          run.output.close();
        }
      } finally {
        RunEnd account = groups.ended(run, end, oomKills).kept(run.kept);
        Optional<String> refusal = run.output.refusal(run.exitCode);
        if (refusal.isPresent() && run.key instanceof AttemptKey) {
          refused(run, refusal.get());
        } else {
          pipes.over(run.key, new Input.Exited(run.key, account));
        }
      }
    }
  }

  /** What of the spawner's words is not about how a run goes. */
  private final class Heard implements SpawnerWords.Heard {
    @Override
    public void started(Run run, OwnProcess process) {
      JobRunner.this.started(run, process);
    }

    @Override
    public void refused(Run run, String why) {
      JobRunner.this.refused(run, why);
    }

    @Override
    public void takenBefore(Run run) {
      new Adoption(JobRunner.this, run.spec, Optional.empty(), run.starts, run.killAt).begin();
    }

    /** No spawner can have it any more, unless one that has died had it before. */
    @Override
    public void unavailable(Run run, String why) throws IOException {
      if (folders.revoke(run.key)) {
        notStarted(run.key, Cause.REFUSED, why);
      } else {
        takenBefore(run);
      }
    }

    @Override
    public void died() {
      sweepLater();
    }
  }

  /** Starts nothing any more. What runs goes on. */
  @Override
  public void close() {
    launcher.close();
    thread.close();
    folders.close();
  }
}
