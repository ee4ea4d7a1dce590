package io.stoker.agent.runner;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.spawn.OwnProcess;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jboss.logging.Logger;

/** Takes over a run that another agent, or another spawner, began; on the runner's thread. */
final class Adoption {
  private static final Logger LOG = Logger.getLogger(Adoption.class);

  /** Looks at a spawner that has taken a run and said nothing yet. */
  private static final int PATIENCE = 40;

  /** Between two of them. */
  private static final long PATIENCE_MS = 50;

  private final JobRunner runner;
  private final RunSpec spec;
  private final RunKey key;
  private final Optional<RunProcess> known;
  private final int starts;
  private int looks;

  /** When its SIGTERM becomes SIGKILL, ns; present if it is to be ended once it is found. */
  private OptionalLong killAt;

  /**
   * @param starts which of the attempt's processes it is, from 1
   * @param killAt when SIGTERM becomes SIGKILL, ns, if it is being ended
   */
  Adoption(
      JobRunner runner, RunSpec spec, Optional<RunProcess> known, int starts, OptionalLong killAt) {
    this.runner = runner;
    this.killAt = killAt;
    this.spec = spec;
    this.key = spec.key();
    this.known = known;
    this.starts = starts;
  }

  RunKey key() {
    return key;
  }

  /** Ends it once it is found. */
  void killAt(long at) {
    killAt = OptionalLong.of(at);
  }

  void begin() {
    try {
      look();
    } catch (IOException e) {
      LOG.warnf("run %s cannot be taken over, trying again: %s", key, e);
      runner.later(JobRunner.AGAIN_MS, this);
    }
  }

  private void look() throws IOException {
    if (known.isPresent() && !known.get().bootId().equals(runner.bootId())) {
      rebooted();
      return;
    }
    if (starts > 1 && known.isEmpty() && runner.folders().retire(key, starts)) {
      runner.notStarted(key, Cause.UNCLAIMED, "its launch was lost");
      return;
    }
    switch (RunState.read(runner.folders().state(key))) {
      case RunState.Unclaimed none -> {
        if (known.isPresent()) {
          follow(new OwnProcess(known.get().pid(), known.get().startTicks()));
        } else if (runner.folders().revoke(key)) {
          runner.notStarted(key, Cause.UNCLAIMED, "its launch was lost");
        } else {
          look();
        }
      }
      case RunState.Claimed taken -> {
        if (known.isPresent()) {
          // Its spawner found no room for what it wanted to write.
          follow(new OwnProcess(known.get().pid(), known.get().startTicks()));
        } else {
          waitForSpawner();
        }
      }
      case RunState.Refused refused ->
          runner.notStarted(
              key,
              refused.why().startsWith("revoked") ? Cause.UNCLAIMED : Cause.REFUSED,
              refused.why());
      case RunState.Alive alive -> follow(new OwnProcess(alive.pid(), alive.startTicks()));
      case RunState.Ended ended -> {
        Run run = follow(new OwnProcess(ended.pid(), ended.startTicks()));
        runner.over(run, OptionalInt.of(ended.exitCode()));
      }
    }
  }

  /**
   * Nothing of it can live; what it wrote before may still tell its end. But that it succeeded is
   * believed only if its result is certainly whole: of two files that nobody forces to the disk the
   * power may take the one and leave the other.
   */
  private void rebooted() throws IOException {
    Run run = follow();
    runner.over(
        run,
        RunState.read(runner.folders().state(key)) instanceof RunState.Ended ended
                && (ended.kept() || ended.exitCode() != 0)
            ? OptionalInt.of(ended.exitCode())
            : OptionalInt.empty());
  }

  /**
   * A spawner that died between taking a run and saying so has started it, or not: what there is of
   * it is ended, and it ends without an exit code, so that it cannot run twice at once. One that
   * lives, and is held up by a work folder that does not answer, is not to start it when it does.
   */
  private void waitForSpawner() throws IOException {
    if (looks++ < PATIENCE) {
      runner.later(PATIENCE_MS, this);
    } else {
      runner.folders().giveUp(key);
      if (RunState.read(runner.folders().state(key)) instanceof RunState.Claimed) {
        runner.over(follow(), OptionalInt.empty());
      } else {
        look(); // it has begun meanwhile
      }
    }
  }

  private Run follow(OwnProcess process) {
    Run run = follow();
    runner.started(run, process);
    return run;
  }

  private Run follow() {
    Run run = runner.adopted(spec);
    run.killAt = killAt;
    runner.follow(run);
    return run;
  }
}
