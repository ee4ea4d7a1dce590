package io.stoker.dispatcher.coordinator.control;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestId;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.control.Retrying;
import io.stoker.dispatcher.control.Retrying.Ended;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction.Accepted;
import io.stoker.dispatcher.coordinator.intake.KindsInForce;
import io.stoker.dispatcher.intake.QueueAdmission;
import io.stoker.dispatcher.kinds.Kinds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Carries out control messages about requests. Each method answers what is wrong with the message,
 * if anything is.
 */
public final class RequestControl {
  private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{64}");
  private static final int MOST_PRIORITY = 1000;
  private static final int MOST_RESULT = 256 * 1024;
  private static final int MOST_REASON = 2000;
  private static final Uni<Optional<String>> DONE = Uni.createFrom().item(Optional.empty());

  private final ControlTransaction transaction;
  private final IntakeTransaction intake;
  private final KindsInForce kinds;
  private final QueueAdmission admission;
  private final CommitFollowUp followUp;

  public RequestControl(
      ControlTransaction transaction,
      IntakeTransaction intake,
      KindsInForce kinds,
      QueueAdmission admission,
      CommitFollowUp followUp) {
    this.transaction = transaction;
    this.intake = intake;
    this.kinds = kinds;
    this.admission = admission;
    this.followUp = followUp;
  }

  Uni<Optional<String>> cancel(ControlMessage.Cancel cancel) {
    return noId("request", cancel.request())
        .orElseGet(() -> cancel(List.of(cancel)).chain(() -> DONE));
  }

  /** Several at once, of possible ids: all or none. */
  Uni<Void> cancel(List<ControlMessage.Cancel> cancels) {
    return transaction.cancel(cancels).chain(followUp::afterEnds);
  }

  Uni<Optional<String>> prioritise(ControlMessage.Priority asked) {
    if (Math.abs((long) asked.priority()) > MOST_PRIORITY) {
      return wrong("priority: " + asked.priority() + ", expected -1000 to 1000");
    }
    return noMessageId(asked)
        .or(() -> noId("request", asked.request()))
        .orElseGet(
            () -> transaction.prioritise(asked).chain(followUp::afterIntake).chain(() -> DONE));
  }

  Uni<Optional<String>> finish(ControlMessage.Finish asked) {
    Optional<String> flaw = answerFlaw(asked.result(), asked.failed());
    return flaw.map(RequestControl::wrong)
        .or(() -> noMessageId(asked))
        .or(() -> noId("request", asked.request()))
        .orElseGet(
            () ->
                transaction
                    .finish(asked)
                    .invoke(finished -> followUp.afterOwedEnds(finished.unit()))
                    .map(ControlTransaction.Finished::flaw));
  }

  /**
   * What is wrong with what a person says of a job, if anything is; that it can be stored was asked
   * when it was read.
   */
  public static Optional<String> answerFlaw(JsonNode result, String failed) {
    boolean given = result != null && !result.isNull();
    if (given && failed != null) {
      return Optional.of("result: " + result + ", expected none of what failed");
    }
    int bytes = given ? Json.bytes(result).length : 0;
    if (bytes > MOST_RESULT) {
      return Optional.of("result: %d bytes, expected at most %d".formatted(bytes, MOST_RESULT));
    }
    return failed != null && (failed.isBlank() || failed.length() > MOST_REASON)
        ? Optional.of("failed: expected a reason of 1 to " + MOST_REASON + " characters")
        : Optional.empty();
  }

  Uni<Optional<String>> forget(ControlMessage.Forget asked) {
    if ((asked.request() == null) == (asked.fingerprint() == null)) {
      return wrong("expected either a request or a fingerprint");
    }
    if (asked.fingerprint() != null && !FINGERPRINT.matcher(asked.fingerprint()).matches()) {
      return wrong("fingerprint: " + asked.fingerprint() + ", expected 64 of 0-9 a-f");
    }
    Optional<Uni<Optional<String>>> flaw = noMessageId(asked);
    if (asked.request() != null) {
      flaw = flaw.or(() -> noId("request", asked.request()));
    }
    return flaw.orElseGet(() -> meaning(asked).chain(meaning -> forget(asked, meaning)));
  }

  private Uni<Optional<String>> meaning(ControlMessage.Forget asked) {
    return asked.fingerprint() == null
        ? transaction.fingerprint(asked.request())
        : Uni.createFrom().item(Optional.of(asked.fingerprint()));
  }

  private Uni<Optional<String>> forget(ControlMessage.Forget asked, Optional<String> meaning) {
    return meaning.isEmpty()
        ? wrong("request: nothing is remembered of " + asked.request())
        : transaction
            .forget(asked.id(), meaning.get(), Optional.ofNullable(asked.request()))
            .chain(() -> DONE);
  }

  /**
   * A message that comes again finds the retry that it made: it is not made again, even if more
   * dependencies have failed since.
   */
  Uni<Optional<String>> retry(ControlMessage.Retry asked) {
    return noMessageId(asked)
        .or(() -> noId("request", asked.request()))
        .or(() -> asked.as() == null ? Optional.empty() : noId("as", asked.as()))
        .orElseGet(
            () -> {
              String as = Retrying.newId(asked.request(), asked.id(), asked.as());
              return transaction
                  .ended(as)
                  .chain(
                      made ->
                          made.containsKey(as)
                              ? followUp.again(List.of(as)).chain(() -> DONE)
                              : transaction
                                  .ended(asked.request())
                                  .chain(known -> retry(asked, as, known)));
            });
  }

  private Uni<Optional<String>> retry(
      ControlMessage.Retry asked, String as, Map<String, Ended> known) {
    Ended request = known.get(asked.request());
    if (request == null) {
      return wrong("request: " + asked.request() + " is not known");
    }
    if (!request.toBeRetried()) {
      return wrong(
          "request: %s is %s, expected one that ended otherwise than SUCCEEDED"
              .formatted(asked.request(), request.state()));
    }
    return kinds
        .newest()
        .chain(
            inForce -> {
              try {
                List<JobRequest> retries = Retrying.plan(asked.request(), asked.id(), as, known);
                return post(filled(retries, inForce), Retrying.senders(retries, known));
              } catch (RequestRefused e) {
                return wrong("retry of " + asked.request() + ": " + e.getMessage());
              }
            });
  }

  /** As if it was posted today: by the kinds and queues that are configured now. */
  private List<JobRequest> filled(List<JobRequest> retries, Kinds inForce) throws RequestRefused {
    List<JobRequest> filled = new ArrayList<>();
    for (JobRequest retry : retries) {
      JobRequest one = inForce.fill(retry);
      Optional<RequestRefused> why = admission.refusal(one, true);
      if (why.isPresent()) {
        throw why.get();
      }
      filled.add(one);
    }
    return filled;
  }

  private Uni<Optional<String>> post(List<JobRequest> retries, Map<String, String> senders) {
    return intake
        .accept(retries, senders)
        .call(accepted -> followUp.afterIntake(accepted.unit()))
        .map(RequestControl::refused);
  }

  private static Optional<String> refused(Accepted accepted) {
    return accepted.refusals().stream()
        .findFirst()
        .map(refusal -> "not retried: " + refusal.sentence());
  }

  private static Optional<Uni<Optional<String>>> noId(String field, String id) {
    return id != null && RequestId.isValid(id)
        ? Optional.empty()
        : Optional.of(wrong(field + ": " + id + ", expected " + RequestId.EXPECTED));
  }

  private static Optional<Uni<Optional<String>>> noMessageId(ControlMessage message) {
    return message.id() != null && !message.id().isBlank()
        ? Optional.empty()
        : Optional.of(wrong("id: missing, expected an id of the message's own"));
  }

  private static Uni<Optional<String>> wrong(String what) {
    return Uni.createFrom().item(Optional.of(what));
  }
}
