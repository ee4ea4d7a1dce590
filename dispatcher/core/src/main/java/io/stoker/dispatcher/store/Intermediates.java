package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.Reached;
import io.stoker.dispatcher.experiment.Standing;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Intermediate results. */
public interface Intermediates {
  /** Of those of these jobs that run. */
  Uni<List<Reached>> reached(Collection<String> jobs);

  /**
   * How a group's jobs stood at a step that run or have succeeded, each in its newest attempt; one
   * row of each is read. Those that have not got there are left out.
   */
  Uni<List<Standing>> standings(String group, int step);

  /** How many results the other job of a group has given that got furthest; 0 without any. */
  Uni<Integer> furthestOther(String group, String job);

  /** The scores of a job's newest attempt up to a step, in order. */
  Uni<double[]> scores(String job, int step);

  /**
   * Notes that jobs were judged at a step.
   *
   * @return those that had not been before, at this or a later one
   */
  Uni<Set<String>> first(Collection<String> jobs, int step);
}
