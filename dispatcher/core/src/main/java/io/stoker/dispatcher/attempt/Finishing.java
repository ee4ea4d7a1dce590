package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.model.Answer;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Optional;

/**
 * Takes what a person says of a job that it ran. The job ends when its agent says so, as every
 * other: until then the attempt's row owes the agent the answer. The first answer counts.
 *
 * <p>The unit of work must hold the request, and its job with its open attempt.
 */
public final class Finishing {
  private Finishing() {}

  /** Takes it; answers what is wrong with it, if anything is. */
  public static Optional<String> finish(UnitOfWork unit, String request, Answer answer) {
    Optional<RequestRow> row = unit.requests().find(request).filter(one -> !one.isPlaceholder());
    if (row.isEmpty()) {
      return Optional.of("request: " + request + " is not known");
    }
    Optional<AttemptRow> attempt = run(unit, row.get());
    if (attempt.isEmpty()) {
      return Optional.of(
          "request: %s is %s, expected one of type passive that is RUNNING"
              .formatted(request, unit.stateOf(request)));
    }
    if (attempt.get().answer() == null) {
      AttemptRow answered = attempt.get().answered(answer);
      unit.attempts().put(answered);
      unit.tell(answered.host(), message(answered));
    }
    return Optional.empty();
  }

  private static Optional<AttemptRow> run(UnitOfWork unit, RequestRow row) {
    return Optional.ofNullable(row.job())
        .flatMap(unit.jobs()::find)
        .filter(job -> job.state() == JobState.RUNNING && !job.ending())
        .flatMap(unit::openAttempt)
        .filter(one -> one.takes() instanceof Takes.Passive);
  }

  /** What its agent is told. */
  public static ToAgent message(AttemptRow attempt) {
    Answer answer = attempt.answer();
    return new ToAgent.Finish(attempt.job(), attempt.number(), answer.result(), answer.failed());
  }
}
