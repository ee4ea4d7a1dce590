package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.LineKey;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineWalks.Waiting;
import io.stoker.dispatcher.placement.LineWalks.Walk;
import io.stoker.dispatcher.placement.LineWindow;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Jobs that stand in line. */
public interface Line {
  /** How many jobs of a queue stand in line, counted no further than {@code most}. */
  Uni<Long> count(String queue, int most);

  /** Folds what was added to the counts of queues' lines since the last time. */
  Uni<Integer> foldCounts();

  /** Jobs in line, in no order, {@code most} at most. */
  Uni<List<String>> some(int most);

  /**
   * What a pass reads of the line.
   *
   * @param named jobs that it reads in any case, wherever they stand
   * @param leftOut jobs that it does not read: a line of nothing else has its turn all the same
   */
  Uni<LineRead> read(LineWindow window, Collection<String> named, Collection<String> leftOut);

  /** What is asked for of some lines, and jobs that are named, but for those that are left out. */
  Uni<LineRead> from(
      Map<LineKey, LineRead.Reach> lines, Collection<String> named, Collection<String> leftOut);

  /** The next jobs of a line that is gone through. */
  Uni<List<Waiting>> behind(Walk walk, int most);
}
