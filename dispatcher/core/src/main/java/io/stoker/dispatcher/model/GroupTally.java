package io.stoker.dispatcher.model;

import io.stoker.common.state.RequestState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Counts, of the requests that a transaction holds, those that arrived and those that ended in it,
 * by group: work grows with what a transaction changes and not with the group. Requests that share
 * a job which somebody else started end with it without being held; they are counted by the fan-out
 * that the job's end starts, and so are left out here.
 */
public final class GroupTally {
  private GroupTally() {}

  /** What the unit of work's transaction adds to groups, in order of their names. */
  public static List<GroupEntry> of(UnitOfWork unit) {
    Map<String, GroupEntry> entries = new TreeMap<>();
    for (RequestRow row : unit.requests().all()) {
      if (row.group() != null && !row.isPlaceholder()) {
        count(unit, row, entries);
      }
    }
    for (GroupEntry counted : unit.sharersEnded()) {
      entries.merge(counted.group(), counted, GroupEntry::plus);
    }
    return new ArrayList<>(entries.values());
  }

  private static void count(UnitOfWork unit, RequestRow row, Map<String, GroupEntry> entries) {
    Optional<RequestRow> before =
        unit.requests().before(row.id()).filter(held -> !held.isPlaceholder());
    if (before.isEmpty()) {
      GroupEntry arrived = GroupEntry.arrived(row.group(), unit.now());
      entries.merge(row.group(), arrived, GroupEntry::plus);
    }
    boolean endsWithAnothersJob = row.attached() && !row.cached() && row.ended() == null;
    if (endsWithAnothersJob || (before.isPresent() && hadEnded(unit, before.get()))) {
      return;
    }
    state(row, unit.jobs().find(row.job() == null ? "" : row.job()))
        .filter(RequestState::terminal)
        .map(how -> GroupEntry.ended(row.group(), how, 1, unit.now()))
        .ifPresent(ended -> entries.merge(row.group(), ended, GroupEntry::plus));
  }

  private static boolean hadEnded(UnitOfWork unit, RequestRow before) {
    return state(before, unit.jobs().before(before.job() == null ? "" : before.job()))
        .filter(RequestState::terminal)
        .isPresent();
  }

  /** Nothing where it is the job's, and that is not held: then it did not change either. */
  private static Optional<RequestState> state(RequestRow row, Optional<JobRow> job) {
    return row.ended() != null ? Optional.of(row.ended()) : job.map(held -> held.shown());
  }
}
