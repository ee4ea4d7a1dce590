package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.Dependency;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.RetryWait;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.placement.FilterFailure;
import io.stoker.dispatcher.placement.HostAnswer;
import io.stoker.dispatcher.placement.HostMemoryView;
import io.stoker.dispatcher.placement.MemoryView;
import io.stoker.dispatcher.placement.ThroughputEstimate.Expected;
import io.stoker.dispatcher.placement.UnschedulableReason;
import io.stoker.dispatcher.service.postgres.ApiQueries.Waiting;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explains what a request waits for.
 *
 * @param job the job it is bound to, if any
 * @param label the reason in one of few words
 * @param sentence the reason for people
 * @param reason what its status says, in line: why an earlier attempt came to nothing
 * @param waitsFor dependencies whose conditions do not hold yet, where it waits for those
 * @param line its place, where it stands in line
 * @param hosts what every host says to it, where it stands in line
 * @param expected when it will start, if that can be said
 * @param memory what is known of its GPU memory, while it is live and asks for GPUs
 * @param hostMemory what is known of the memory that it takes of its host, while it is live
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Explanation(
    String id,
    RequestState state,
    String job,
    String label,
    String sentence,
    String reason,
    List<Waiting> waitsFor,
    Line line,
    List<HostAnswer> hosts,
    Expected expected,
    MemoryView memory,
    HostMemoryView hostMemory) {
  private static final int NAMED = 5;

  /**
   * Where a job stands in its queue's line.
   *
   * @param place 1 is next
   * @param atLeast whether those before it were counted no further
   * @param never those of them that no host can ever serve
   * @param ahead the first of those before it, by the requests that started them
   */
  public record Line(String queue, long place, boolean atLeast, long never, List<String> ahead) {}

  /**
   * A job in line.
   *
   * @param why why the scheduler leaves it, null if it would not
   * @param expected null if nothing can be said
   */
  record InLine(Line line, UnschedulableReason why, List<HostAnswer> hosts, Expected expected) {
    /** The same, with fuller answers. */
    InLine answered(List<HostAnswer> fuller) {
      return new InLine(line, why, fuller, expected);
    }

    /** Why it is left: where there is one host to speak of, what that one says has the figures. */
    String sentence() {
      if (why == null) {
        return "in line; there is room for it, and others may go first";
      }
      boolean alone = hosts.size() == 1 && hosts.getFirst().obstacle() == FilterFailure.BUSY;
      return alone && why.reason() == UnschedulableReason.Reason.NO_ROOM
          ? "host %s %s".formatted(hosts.getFirst().host(), hosts.getFirst().sentence())
          : why.sentence();
    }
  }

  static Explanation waiting(RequestStatus status, List<Waiting> missing) {
    return waiting(status.id(), status.state(), status.job(), missing);
  }

  private static Explanation waiting(
      String id, RequestState state, String job, List<Waiting> missing) {
    String some =
        missing.stream().limit(NAMED).map(Explanation::named).collect(Collectors.joining(", "));
    String more = missing.size() > NAMED ? " and " + (missing.size() - NAMED) + " more" : "";
    String sentence =
        missing.isEmpty()
            ? "all that it waits for has come; it is about to get in line"
            : "waits for " + some + more;
    return new Explanation(
        id, state, job, "DEPENDENCIES", sentence, null, missing, null, null, null, null, null);
  }

  /** The first of those that nobody has posted, as far as is stored. */
  List<Waiting> unposted() {
    return waitsFor == null
        ? List.of()
        : waitsFor.stream().filter(one -> one.state() == null).limit(NAMED).toList();
  }

  /** With one of those it waits for as refused: it is waited for until somebody posts it anew. */
  Explanation withRefusal(RequestStatus refused) {
    List<Waiting> known =
        waitsFor.stream()
            .map(
                one ->
                    one.id().equals(refused.id())
                        ? new Waiting(one.id(), refused.state().name(), one.condition())
                        : one)
            .toList();
    return waiting(id, state, job, known);
  }

  private static String named(Waiting one) {
    String state = one.state() == null ? "never posted" : one.state();
    String condition =
        one.condition() == null
            ? ""
            : one.condition().equals(Dependency.Condition.ENDED.key()) ? " to end" : " to fail";
    return "%s (%s)%s".formatted(one.id(), state, condition);
  }

  /** Its host has it behind its CPU slots. */
  static Explanation heldBehindSlots(RequestStatus status, String host) {
    String sentence =
        "host %s has it behind its CPU slots, and starts it as soon as one is free".formatted(host);
    return of(status, "LOOK_AHEAD", sentence);
  }

  /** It stands in line. */
  static Explanation queued(RequestStatus status, InLine in) {
    String label = in.why() == null ? "IN_LINE" : in.why().reason().name();
    boolean startsByItself =
        in.why() == null
            || in.why().reason() != UnschedulableReason.Reason.UNSATISFIABLE
                && in.why().reason() != UnschedulableReason.Reason.HOSTS_AWAY;
    return new Explanation(
        status.id(),
        status.state(),
        status.job(),
        label,
        in.sentence(),
        // That no host can ever serve it was no attempt; the sentence has it as it is now.
        status.code() == Code.UNSATISFIABLE ? null : status.reason(),
        null,
        in.line(),
        in.hosts(),
        startsByItself ? in.expected() : null,
        null,
        null);
  }

  /**
   * It is queued, and not in line: an equal job is to end first, or it was placed this moment.
   *
   * @param equal the request that started that job, null if there is none
   */
  static Explanation outOfLine(RequestStatus status, String equal) {
    return equal == null
        ? of(status, "IN_LINE", "is being placed")
        : of(status, "EQUAL_JOB", "waits for the equal job of request " + equal + " to end");
  }

  /** A failure of it is to be some time ago first. */
  static Explanation backsOff(RequestStatus status, BackoffRow row) {
    String sentence = "waits " + RetryWait.sentence(row, status.attempt());
    return of(status, "BACKOFF", sentence, status.reason());
  }

  static Explanation of(RequestStatus status) {
    String where =
        switch (status.state()) {
          case PLACED -> "given to " + hosts(status) + ", not started there yet";
          case RUNNING -> "runs on " + hosts(status);
          case REJECTED -> "was refused, and never ran";
          // Fast memory has it, and the database did not have it a moment before.
          case WAITING, QUEUED -> "was taken in this moment";
          case SUCCEEDED, FAILED, CANCELLED -> "has ended";
        };
    String by =
        status.answeredBy() == null
            ? where
            : "%s; %s request %s started, job %s"
                .formatted(
                    where,
                    status.state().terminal() ? "answered by the work that" : "shares what",
                    status.answeredBy().request(),
                    status.answeredBy().job());
    String sentence =
        Stream.of(by, held(status), status.reason())
            .filter(Objects::nonNull)
            .collect(Collectors.joining("; "));
    return of(status, status.state().name(), sentence);
  }

  /** What its host says of why it does not go on, null if it says nothing. */
  private static String held(RequestStatus status) {
    JsonNode progress = status.progress();
    return progress == null || !progress.hasNonNull("stage") || !progress.hasNonNull("message")
        ? null
        : "its stage is %s: %s"
            .formatted(progress.path("stage").asText(), progress.path("message").asText());
  }

  private static String hosts(RequestStatus status) {
    return status.members() == null
        ? "host " + status.host()
        : status.members().stream()
            .map(RequestStatus.Member::host)
            .collect(Collectors.joining(", ", "hosts ", ""));
  }

  /** The same, with what is known of its memory. */
  Explanation with(LineExplainer.Taken known) {
    return new Explanation(
        id,
        state,
        job,
        label,
        sentence,
        reason,
        waitsFor,
        line,
        hosts,
        expected,
        known.onGpus(),
        known.ofHost());
  }

  private static Explanation of(RequestStatus status, String label, String sentence) {
    return of(status, label, sentence, null);
  }

  private static Explanation of(RequestStatus of, String label, String sentence, String reason) {
    return new Explanation(
        of.id(), of.state(), of.job(), label, sentence, reason, null, null, null, null, null, null);
  }
}
