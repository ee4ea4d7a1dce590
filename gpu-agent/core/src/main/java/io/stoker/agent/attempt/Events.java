package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.JournalEntry.Told;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.AttemptEvent.Warning;
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
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    AttemptEvent event = event(key, 1, Type.ACCEPTED, at, devices, null, null, null, null, null);
    return place.gang() == null ? event : event.metAt(place.gang().address());
  }

  /** It is accepted, and why no process of it is started yet. */
  static AttemptEvent held(LiveAttempt attempt, int seq, JsonNode progress, long at) {
    List<String> devices = attempt.allocation().devices();
    return event(attempt.key(), seq, Type.ACCEPTED, at, devices, null, null, progress, null, null);
  }

  static AttemptEvent running(LiveAttempt attempt, RunProcess process) {
    return event(
        attempt.key(),
        attempt.seq() + 1,
        Type.RUNNING,
        process.startedAt(),
        attempt.allocation().devices(),
        process.startedAt(),
        null,
        null,
        null,
        null);
  }

  static AttemptEvent progress(LiveAttempt attempt, int seq, JsonNode progress, long at) {
    return event(
        attempt.key(),
        seq,
        Type.PROGRESS,
        at,
        attempt.allocation().devices(),
        startedAt(attempt),
        null,
        progress,
        null,
        null);
  }

  /** Tells people of something that is not as it should be with a running attempt. */
  static AttemptEvent warning(LiveAttempt attempt, int seq, String sentence, long at) {
    return event(
        attempt.key(),
        seq,
        Type.PROGRESS,
        at,
        attempt.allocation().devices(),
        startedAt(attempt),
        new Ending(null, null, sentence, null, null),
        null,
        null,
        null);
  }

  static AttemptEvent result(LiveAttempt attempt, int seq, JsonNode result, long at) {
    return event(
        attempt.key(),
        seq,
        Type.RESULT,
        at,
        attempt.allocation().devices(),
        startedAt(attempt),
        null,
        null,
        result,
        null);
  }

  /**
   * Once more what was said of a line of its output.
   *
   * @param like an event of the same attempt
   */
  static AttemptEvent again(AttemptEvent like, Told line, JsonNode value) {
    boolean result = line.what() == Type.RESULT;
    return event(
        new AttemptKey(line.job(), line.attempt()),
        line.seq(),
        line.what(),
        line.at(),
        like.devices(),
        like.startedAt(),
        null,
        result ? null : value,
        result ? value : null,
        null);
  }

  static AttemptEvent ended(LiveAttempt attempt, Ending ending, Usage usage, Now now) {
    return event(
            attempt.key(),
            attempt.seq() + 1,
            Type.ENDED,
            now.wallMs(),
            attempt.allocation().devices(),
            startedAt(attempt),
            ending,
            null,
            ending.result(),
            usage)
        .warning(ending.limit())
        .again(ending.againMs());
  }

  /** The end of an attempt that never was. */
  static AttemptEvent neverBegan(AttemptKey key, Ending ending, long at) {
    return event(key, 1, Type.ENDED, at, List.of(), null, ending, null, null, null);
  }

  private static Long startedAt(LiveAttempt attempt) {
    return attempt.phase().process().map(RunProcess::startedAt).orElse(null);
  }

  private static AttemptEvent event(
      AttemptKey key,
      int seq,
      Type type,
      long at,
      List<String> devices,
      Long startedAt,
      Ending ending,
      JsonNode progress,
      JsonNode result,
      Usage usage) {
    return new AttemptEvent(
        key.job(),
        key.attempt(),
        seq,
        type,
        at,
        devices,
        startedAt,
        ending == null ? null : ending.outcome(),
        ending == null ? null : ending.category(),
        ending == null ? null : ending.message(),
        ending == null ? null : ending.exitCode(),
        progress,
        result,
        usage,
        null);
  }
}
