package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.JournalEntry.Told;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.message.EventBuilder;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.util.List;

/** Builds what is said of an attempt, unsigned. */
final class Events {
  private Events() {}

  /** How an attempt ended, in the words of the event. */
  record Ending(
      Outcome outcome,
      FailureCategory category,
      String message,
      Integer exitCode,
      JsonNode result,
      Warning limit,
      Long againMs) {
    Ending(
        Outcome outcome,
        FailureCategory category,
        String message,
        Integer exitCode,
        JsonNode result) {
      this(outcome, category, message, exitCode, result, null, null);
    }

    /** It broke a rule of this host. */
    static Ending limit(Warning which, String message, Integer exitCode) {
      return new Ending(
          Outcome.FAILED, FailureCategory.LIMIT, message, exitCode, null, which, null);
    }

    /** It is given back, and its host may be asked for such a job at once. */
    static Ending givenBack(String why) {
      return new Ending(Outcome.RETURNED, null, why, null, null, null, 0L);
    }

    /**
     * It ended well, but its result cannot be kept; an earlier dispatcher takes it for a failure.
     */
    static Ending unkept(String why, Integer exitCode) {
      return new Ending(
          Outcome.FAILED, FailureCategory.APP, why, exitCode, null, Warning.RESULT, null);
    }

    static Ending of(Outcome outcome, String message) {
      return new Ending(outcome, null, message, null, null);
    }

    static Ending failed(FailureCategory category, String message, Integer exitCode) {
      return new Ending(Outcome.FAILED, category, message, exitCode, null);
    }
  }

  static AttemptEvent accepted(Place place, List<String> devices, long at) {
    return AttemptEvent.of(place.job(), place.attempt())
        .type(Type.ACCEPTED)
        .at(at)
        .devices(devices)
        .address(place.gang() == null ? null : place.gang().address())
        .build();
  }

  /** It is accepted, and why no process of it is started yet. */
  static AttemptEvent held(LiveAttempt attempt, int seq, JsonNode progress, long at) {
    return of(attempt, Type.ACCEPTED, seq, at).startedAt(null).progress(progress).build();
  }

  static AttemptEvent running(LiveAttempt attempt, RunProcess process) {
    long at = process.startedAt();
    return of(attempt, Type.RUNNING, attempt.seq() + 1, at).startedAt(at).build();
  }

  static AttemptEvent progress(LiveAttempt attempt, int seq, JsonNode progress, long at) {
    return of(attempt, Type.PROGRESS, seq, at).progress(progress).build();
  }

  /** Tells people of something that is not as it should be with a running attempt. */
  static AttemptEvent warning(LiveAttempt attempt, int seq, Warning of, String sentence, long at) {
    return of(attempt, Type.PROGRESS, seq, at).message(sentence).warning(of).build();
  }

  static AttemptEvent result(LiveAttempt attempt, int seq, JsonNode result, long at) {
    return of(attempt, Type.RESULT, seq, at).result(result).build();
  }

  /**
   * Once more what was said of a line of its output.
   *
   * @param like an event of the same attempt
   */
  static AttemptEvent again(AttemptEvent like, Told line, JsonNode value) {
    EventBuilder event =
        AttemptEvent.of(line.job(), line.attempt())
            .seq(line.seq())
            .type(line.what())
            .at(line.at())
            .devices(like.devices())
            .startedAt(like.startedAt());
    return (line.what() == Type.RESULT ? event.result(value) : event.progress(value)).build();
  }

  static AttemptEvent ended(LiveAttempt attempt, Ending ending, Usage usage, Now now) {
    EventBuilder event = of(attempt, Type.ENDED, attempt.seq() + 1, now.wallMs());
    if (ending.againMs() != null) {
      event.againMs(ending.againMs());
    }
    return ending(event, ending)
        .result(ending.result())
        .usage(usage)
        .warning(ending.limit())
        .build();
  }

  /** The end of an attempt that never was. */
  static EventBuilder neverBegan(AttemptKey key, Ending ending, long at) {
    EventBuilder event =
        AttemptEvent.of(key.job(), key.attempt()).type(Type.ENDED).at(at).devices(List.of());
    return ending(event, ending);
  }

  private static EventBuilder ending(EventBuilder event, Ending ending) {
    return event
        .outcome(ending.outcome())
        .category(ending.category())
        .message(ending.message())
        .exitCode(ending.exitCode());
  }

  private static EventBuilder of(LiveAttempt attempt, Type type, int seq, long at) {
    return AttemptEvent.of(attempt.place().job(), attempt.place().attempt())
        .seq(seq)
        .type(type)
        .at(at)
        .devices(attempt.allocation().devices())
        .startedAt(attempt.phase().process().map(RunProcess::startedAt).orElse(null));
  }
}
