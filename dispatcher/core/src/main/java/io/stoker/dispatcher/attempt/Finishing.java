package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.request.RunnerType;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.ledger.Answer;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import java.util.Optional;

/**
 * Takes what a person says of a job that it ran. The job ends when its agent says so, as every
 * other: until then the attempt's row owes the agent the answer. The first answer counts.
 *
 * <p>The ledger must hold the request, and its job with its open attempt.
 */
public final class Finishing {
  private Finishing() {}

  /** Takes it; answers what is wrong with it, if anything is. */
  public static Optional<String> finish(Ledger ledger, String request, Answer answer) {
    Optional<RequestRow> row = ledger.requests().find(request).filter(one -> !one.isPlaceholder());
    if (row.isEmpty()) {
      return Optional.of("request: " + request + " is not known");
    }
    Optional<AttemptRow> attempt = run(ledger, row.get());
    if (attempt.isEmpty()) {
      return Optional.of(
          "request: %s is %s, expected one of type passive that is RUNNING"
              .formatted(request, ledger.stateOf(request)));
    }
    if (attempt.get().answer() == null) {
      AttemptRow answered = attempt.get().answered(answer);
      ledger.attempts().put(answered);
      ledger.tell(answered.host(), message(answered));
    }
    return Optional.empty();
  }

  private static Optional<AttemptRow> run(Ledger ledger, RequestRow row) {
    return Optional.ofNullable(row.job())
        .flatMap(ledger.jobs()::find)
        .filter(job -> job.state() == JobState.RUNNING && !job.ending())
        .flatMap(ledger::openAttempt)
        .filter(one -> RunnerType.PASSIVE.key().equals(one.runner()));
  }

  /** What its agent is told. */
  public static ToAgent message(AttemptRow attempt) {
    Answer answer = attempt.answer();
    return new ToAgent.Finish(attempt.job(), attempt.number(), answer.result(), answer.failed());
  }
}
