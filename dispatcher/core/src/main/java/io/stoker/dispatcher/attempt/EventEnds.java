package io.stoker.dispatcher.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.JsonRules;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.size.Limits;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.text.PlainText;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemberEnd;
import io.stoker.dispatcher.model.MemberEnd.How;
import io.stoker.dispatcher.model.Numbers;

/** Reads from a terminal event how an attempt ended. */
final class EventEnds {
  /** Largest result that is kept, in characters of JSON. */
  static final int MAX_RESULT = Limits.RESULT_CHARACTERS;

  private static final int MAX_SHOWN = 200;

  private EventEnds() {}

  static MemberEnd of(AttemptRow attempt, JobRow job, AttemptEvent event) {
    return switch (event.outcome()) {
      case SUCCEEDED -> success(attempt, job, event);
      case FAILED -> failure(event);
      case LOST -> end(How.FAILED, FailureCategory.HOST_LOST, sentence(event), null, event);
      case CANCELLED -> {
        String told = attempt.cancelReason();
        yield end(How.TOLD, null, told == null ? sentence(event) : told, null, event);
      }
      case POOL_RESET -> end(How.RESET, null, sentence(event), null, event);
      case RETURNED -> {
        String reason = "returned by " + attempt.host() + ": " + sentence(event);
        yield end(How.RETURNED, null, reason, null, event);
      }
    };
  }

  private static MemberEnd failure(AttemptEvent event) {
    return event.warning() == Warning.RESULT
        ? end(How.INVALID, null, sentence(event), null, event)
        : end(How.FAILED, category(event), sentence(event), null, event);
  }

  /** An agent of a later version may know others than this one does. */
  private static FailureCategory category(AttemptEvent event) {
    return event.category() == null ? FailureCategory.APP : event.category();
  }

  /** Of a gang the result of rank 0 counts. */
  private static MemberEnd success(AttemptRow attempt, JobRow job, AttemptEvent event) {
    JsonNode result = event.result();
    if (result == null || result.isNull() || attempt.rank() > 0) {
      return end(How.SUCCEEDED, null, null, null, event);
    }
    if (!JsonRules.storable(result)) {
      String reason = "its result holds text that cannot be stored";
      return end(How.INVALID, null, reason, null, event);
    }
    String text = result.toString();
    if (text.length() > MAX_RESULT) {
      String reason = "its result is larger than " + MAX_RESULT + " characters";
      return end(How.INVALID, null, reason, null, event);
    }
    Integer numbers = job.asked().policy().numbers();
    if (numbers != null && Numbers.of(result).size() != numbers) {
      String reason =
          "its result is %s, expected %d numbers: the score and one for each of its resultLabels"
              .formatted(PlainText.of(text, MAX_SHOWN), numbers);
      return end(How.INVALID, null, reason, null, event);
    }
    return end(How.SUCCEEDED, null, Numbers.noScore(result).orElse(null), text, event);
  }

  private static MemberEnd end(
      How how, FailureCategory category, String reason, String result, AttemptEvent event) {
    return new MemberEnd(how, category, reason, event.exitCode(), result, event.usage());
  }

  private static String sentence(AttemptEvent event) {
    return event.message() == null ? event.outcome().name() : event.message();
  }
}
