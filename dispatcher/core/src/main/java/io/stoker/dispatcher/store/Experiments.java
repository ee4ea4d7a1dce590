package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.Best;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Progress;
import io.stoker.dispatcher.model.GroupLimit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Groups with a plan. */
public interface Experiments {
  /** Those of these groups that have a plan; they cannot end before this transaction does. */
  Uni<List<ExperimentRow>> lockShared(Collection<String> groups);

  /** How many more jobs of these groups may be placed; those without a plan are left out. */
  Uni<Map<String, GroupLimit>> limits(Collection<String> groups);

  /** Nothing for a group without a plan. */
  Uni<Optional<ExperimentRow>> find(String name);

  /** For changes. */
  Uni<Optional<ExperimentRow>> lock(String name);

  /** Where these stand; groups without a plan are left out. */
  Uni<List<Progress>> progress(Collection<String> names);

  /** All that have not ended. */
  Uni<List<Progress>> open();

  /** The group that a message has made, if it has been here before. */
  Uni<Optional<String>> madeBy(String message);

  /**
   * Which of the names that begin so are taken by groups.
   *
   * @param anyGroup whether groups without a plan take their names, too
   */
  Uni<Set<String>> taken(String name, boolean anyGroup);

  /** What these groups come after, step by step, as far as it is known. */
  Uni<List<String>> chain(String from);

  /**
   * Makes one. If somebody else made one of the name meanwhile, the transaction is done again.
   *
   * @param creation the message that asks for it
   */
  Uni<Void> insert(ExperimentRow row, String creation);

  /** Jobs in line of requests that named the group before it had a plan. */
  Uni<Integer> takeLane(String name);

  /** Writes where it stands. */
  Uni<Void> update(ExperimentRow row);

  /** Over real scores of what has succeeded; the first of equals. Nothing if there is none. */
  Uni<Optional<Best>> best(String group, Objective objective);

  /**
   * Requests of a group that have not ended and were not asked to, in order of arrival.
   *
   * @param waiting only those of which nothing is placed or runs
   * @param after only those behind it
   */
  Uni<List<Member>> unended(String group, boolean waiting, Member after, int most);

  /** A request of a group, by its arrival. */
  record Member(long seq, String id) {
    /** Before all. */
    public static final Member NONE = new Member(0, "");
  }
}
