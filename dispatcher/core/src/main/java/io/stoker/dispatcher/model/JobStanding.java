package io.stoker.dispatcher.model;

import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;

/** Where a job stands, and what is said of that. */
public sealed interface JobStanding {
  JobState state();

  /** Null if there is none. */
  Code code();

  /** For people, null if there is nothing to say. */
  String reason();

  /**
   * Of one that is not over.
   *
   * @param ending whether it was told to end; {@code code} is what it ends with then
   * @param retryAt when it gets in line, ms since 1970, where it waits after a failure; else null
   */
  record Live(JobState state, boolean ending, Code code, String reason, Long retryAt)
      implements JobStanding {
    public Live {
      if (state != null && state.terminal()) {
        throw new IllegalArgumentException("state: " + state + ", expected one of a live job");
      }
    }

    /** One that has just been asked for. */
    static Live asked(String reason) {
      return new Live(JobState.QUEUED, false, null, reason, null);
    }

    Live to(JobState next, Code of, String why) {
      return new Live(state.to(next), ending, of, why, retryAt);
    }

    Live told(Code of, String why) {
      return new Live(state, ending, of, why, retryAt);
    }

    Live toEnd(Code why) {
      return new Live(state, true, why, reason, retryAt);
    }

    Live retryAt(Long at) {
      return new Live(state, ending, code, reason, at);
    }

    Ended ended(JobState how, Code why, String sentence, long now) {
      return new Ended(state.to(how), why, sentence, now);
    }
  }

  /**
   * Of one that is over.
   *
   * @param at when it ended, ms since 1970
   */
  record Ended(JobState state, Code code, String reason, long at) implements JobStanding {
    public Ended {
      if (!state.terminal()) {
        throw new IllegalArgumentException("state: " + state + ", expected one of an ended job");
      }
    }
  }

  /**
   * As it is stored.
   *
   * @param endedAt null while it is live
   */
  static JobStanding of(
      JobState state, boolean ending, Code code, String reason, Long retryAt, Long endedAt) {
    return state != null && state.terminal()
        ? new Ended(state, code, reason, endedAt == null ? 0 : endedAt)
        : new Live(state, ending, code, reason, retryAt);
  }
}
