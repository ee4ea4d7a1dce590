package io.stoker.dispatcher.service.rest;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.report.Times;
import io.stoker.dispatcher.service.postgres.GroupTable.Counts;
import io.stoker.dispatcher.status.Moments;
import java.util.Map;

/**
 * A group: requests that are reported on together.
 *
 * @param state OPEN while more may come, CLOSED when no more is to come, ENDED when it is closed
 *     and all of it has ended
 * @param waiting requests in line, or waiting for dependencies
 * @param placed requests whose job was given to a host that has not started it yet
 * @param running requests whose job runs
 * @param done requests that have ended
 * @param progress part of the requests that have ended, 0 to 1; 1 for a closed group without any
 * @param startedAt when it was made, by its first request or before, ISO 8601
 * @param endedAt when the last request ended, if all have
 * @param retries absent for a group without a limit of them
 * @param elapsed from its start to its end or until now, {@code HH:MM:SS.mmm}
 * @param experiment its plan and what came of it; absent without one, and in lists
 */
public record GroupView(
    String group,
    State state,
    long total,
    long waiting,
    long placed,
    long running,
    long succeeded,
    long failed,
    long cancelled,
    long done,
    double progress,
    String startedAt,
    String endedAt,
    String elapsed,
    ExperimentView experiment,
    Retries retries) {
  /**
   * Retries of all its jobs together.
   *
   * @param limit so many at most
   * @param used so far
   */
  public record Retries(long limit, long used) {}

  /** Whether it is over. */
  public enum State {
    OPEN,
    CLOSED,
    ENDED
  }

  /**
   * The view.
   *
   * @param open how many of its requests have attempts, by the attempts' states
   */
  static GroupView of(Counts counts, Map<String, Long> open) {
    long done = counts.succeeded() + counts.failed() + counts.cancelled();
    long running = open.getOrDefault(AttemptRow.State.RUNNING.name(), 0L);
    long placed = open.values().stream().mapToLong(n -> n).sum() - running;
    boolean all = done >= counts.total();
    boolean closed = counts.closedAt() != null;
    Long end = all ? end(counts) : null;
    return new GroupView(
        counts.group(),
        closed ? all ? State.ENDED : State.CLOSED : State.OPEN,
        counts.total(),
        Math.max(0, counts.total() - done - running - placed),
        placed,
        running,
        counts.succeeded(),
        counts.failed(),
        counts.cancelled(),
        done,
        counts.total() == 0 ? closed ? 1 : 0 : Math.min(1, (double) done / counts.total()),
        Moments.text(counts.firstAt()),
        Moments.text(end),
        Times.clock((end == null ? counts.now() : end) - counts.firstAt()),
        null,
        null);
  }

  GroupView with(ExperimentView plan) {
    return with(plan, retries);
  }

  GroupView with(GroupBudget budget) {
    return with(experiment, new Retries(budget.retries(), budget.used()));
  }

  private GroupView with(ExperimentView plan, Retries known) {
    return new GroupView(
        group, state, total, waiting, placed, running, succeeded, failed, cancelled, done, progress,
        startedAt, endedAt, elapsed, plan, known);
  }

  private static Long end(Counts counts) {
    return counts.lastEndAt() == null ? counts.closedAt() : counts.lastEndAt();
  }
}
