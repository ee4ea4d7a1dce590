package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.NodeMachine;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs the jobs of one resource type. Processes of this host are {@link JobRunner}'s; this is for
 * all that is something else: a container, a process on another machine, a person.
 *
 * <p>The calls come from one thread, and must return at once. What happens is told as {@link
 * Input}s, from any thread: of each run that was started or is taken over, in the end either {@link
 * Input.Exited} or {@link Input.NotStarted}, once, and only when certainly nothing of it is left.
 * How many run at once is counted by who calls.
 */
public interface Runner extends AutoCloseable {
  /** What it runs, as {@code resources.type} names it. */
  String type();

  /** Jobs that it runs at once. */
  int slots();

  /** The machines with GPUs that it runs jobs on, where these are not this host; each kind once. */
  default List<NodeMachine> machines() {
    return List.of();
  }

  /**
   * Starts a run.
   *
   * <p>{@link Input.Started} tells that it runs; {@link Input.NotStarted} with the cause {@code
   * LAUNCH} that the job cannot be started, which counts as its failure, with {@code REFUSED} that
   * this host cannot do it now, which costs it nothing.
   *
   * @param allocation the devices of this host that it has
   */
  void start(Place place, Allocation allocation);

  /**
   * Finds out what became of a run of an earlier agent, and follows it on. One that certainly never
   * began is told as {@link Input.NotStarted} with the cause {@code UNCLAIMED}: it is started
   * again.
   *
   * @param known what {@link Input.Started} told of it, if it came so far
   */
  void adopt(Place place, Optional<RunProcess> known);

  /** Ends a run: asks it to, and after the grace forces it. */
  void kill(AttemptKey key, long graceMs);

  /**
   * Everybody who must know of its end knows: gives up what the run still takes on its resource.
   * Names of runs that are not this runner's may come, too.
   */
  void remove(AttemptKey key);

  /**
   * Ends and removes what an earlier agent left. Comes first of all.
   *
   * @param known runs that are not leftovers, of whatever type
   */
  void clear(Set<AttemptKey> known);

  /**
   * Leftovers that {@link #clear} has found and that may not have ended when it returned: of each
   * {@link Input.LeftoverEnded} tells when it has. What they take stays theirs until then.
   */
  default Set<AttemptKey> unended() {
    return Set.of();
  }

  /** Starts nothing any more. What runs goes on. */
  @Override
  void close();
}
