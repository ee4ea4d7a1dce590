package io.stoker.dispatcher.experiment;

import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.model.GroupLimit;
import java.util.Optional;
import java.util.Set;

/** Decides when groups with a plan end, and how many of their jobs may start. */
public final class ExperimentRules {
  /** Longest name of a group. */
  public static final int LONGEST = 128;

  /** Of any number of a name, with what is around it. */
  private static final int LONGEST_NUMBER = " ()".length() + 10;

  private ExperimentRules() {}

  /**
   * Where the requests of a group stand, and what that depends on.
   *
   * @param done requests that have ended
   * @param failed requests that have FAILED
   * @param running jobs that are placed or running
   * @param closed whether no more is to come
   * @param mayBegin whether the group that it comes after has ended, if it comes after one; or all
   *     that remains of that shares jobs which wait for its end, and nobody else would
   */
  public record Tally(
      long total, long done, long failed, int running, boolean closed, boolean mayBegin) {
    boolean allDone() {
      return done >= total;
    }
  }

  /** The next state; nothing if it stays as it is. */
  public static Optional<ExperimentRow> next(ExperimentRow row, Tally tally, long now) {
    return switch (row.state()) {
      case RUNNING -> {
        if (row.plan().stopOnFailure() && tally.failed() > 0) {
          String why = tally.failed() + " of its requests failed";
          ExperimentRow failing = row.in(State.FAILING, why, null);
          yield Optional.of(next(failing, tally, now).orElse(failing));
        }
        yield tally.closed() && tally.allDone()
            ? Optional.of(row.in(State.FINISHED, null, now))
            : Optional.empty();
      }
      case FAILING -> ended(row, tally, State.FAILED, now);
      case STOPPING -> ended(row, tally, State.STOPPED, now);
      case FINISHED, FAILED, STOPPED -> Optional.empty();
    };
  }

  private static Optional<ExperimentRow> ended(
      ExperimentRow row, Tally tally, State how, long now) {
    return tally.allDone() ? Optional.of(row.in(how, row.reason(), now)) : Optional.empty();
  }

  /** All of it is to end; nothing if it has ended, or is being ended so. */
  public static Optional<ExperimentRow> stopped(ExperimentRow row) {
    return row.state() == State.RUNNING || row.state() == State.FAILING
        ? Optional.of(row.in(State.STOPPING, "stopped on request", null))
        : Optional.empty();
  }

  /** How many more of its jobs may be placed, and why not more. */
  public static GroupLimit limit(ExperimentRow row, Tally tally) {
    String what = (row.plan().experiment() ? "experiment " : "group ") + row.name();
    if (row.state().over()) {
      // Who shares a job of it from elsewhere goes on.
      return GroupLimit.NONE;
    }
    if (row.state() != State.RUNNING) {
      return new GroupLimit(0, "its %s is %s: %s".formatted(what, row.state(), row.reason()));
    }
    if (row.plan().stopOnFailure() && tally.failed() > 0) {
      return new GroupLimit(0, "its " + what + " ends: one of its requests failed");
    }
    if (!tally.mayBegin()) {
      return new GroupLimit(
          0, "its %s begins when group %s has ended".formatted(what, row.plan().after()));
    }
    if (row.plan().parallel() == null) {
      return GroupLimit.NONE;
    }
    return new GroupLimit(
        Math.max(0, row.plan().parallel() - tally.running()),
        "its %s runs as many jobs as it may: parallel is %d"
            .formatted(what, row.plan().parallel()));
  }

  /** Why a request that arrives now is ended at once; nothing if it is not. */
  public static Optional<String> refusal(ExperimentRow row) {
    return row.state().closedToNew()
        ? Optional.of("group %s is %s: %s".formatted(row.name(), row.state(), row.reason()))
        : Optional.empty();
  }

  /**
   * What the name that a new experiment gets begins with, and every name that keeps it from another
   * one.
   */
  public static String stem(String name) {
    return cut(name, LONGEST - LONGEST_NUMBER);
  }

  /**
   * The name that a new experiment gets: as asked for, or with the first free number.
   *
   * @param taken names of groups, at least those that begin with its {@link #stem}
   */
  public static String free(String name, Set<String> taken) {
    String free = name;
    for (int i = 1; taken.contains(free); i++) {
      String number = " (" + i + ")";
      free = cut(name, LONGEST - number.length()) + number;
    }
    return free;
  }

  /** No half of a character is left at its end. */
  private static String cut(String name, int length) {
    if (name.length() <= length) {
      return name;
    }
    boolean half = Character.isHighSurrogate(name.charAt(length - 1));
    return name.substring(0, half ? length - 1 : length);
  }
}
