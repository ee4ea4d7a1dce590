package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.common.text.Secrets;
import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.PastAttempt;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.service.postgres.RequestDetails;
import io.stoker.dispatcher.status.Moments;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All that is known of a request.
 *
 * @param request as it is in force, with what its kind brings; of its environment what looks secret
 *     is hidden. Absent of a refused one
 * @param postedAt ISO 8601
 * @param dependencies in the order in which the request names them
 * @param dependents those that still wait for it, in order of id, at most 50
 * @param dependentsLeftOut how many more of the first 1,000 do; absent if none
 * @param answeredBy the job of another request that it shares; absent if its job is its own
 * @param attempts of its job that are kept, in order; the newest may be open
 * @param attemptsLeftOut how many of its job's are not kept
 * @param expectedEnd until when it runs; absent where nothing tells that
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DetailsView(
    RequestStatus status,
    JsonNode request,
    String postedAt,
    List<Dependency> dependencies,
    List<Dependent> dependents,
    Integer dependentsLeftOut,
    AnsweredBy answeredBy,
    List<Attempt> attempts,
    Integer attemptsLeftOut,
    ExpectedEnd expectedEnd) {
  private static final int DEPENDENTS = 50;

  /**
   * A dependency.
   *
   * @param state absent if it was never posted
   * @param condition how it is to end, absent if it is to succeed
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Dependency(String id, RequestState state, String condition) {}

  /** A request that waits for this one. */
  public record Dependent(String id, RequestState state) {}

  /**
   * Whose job a request shares.
   *
   * @param request that started it
   * @param cached whether it had succeeded before
   */
  public record AnsweredBy(String request, String job, boolean cached) {}

  /** How an attempt is, or in what way it ended. */
  public enum Stage {
    /** Given to its host, which has not accepted it yet. */
    PLACED,
    ACCEPTED,
    RUNNING,
    SUCCEEDED,
    FAILED,
    /** Its host could not take it, or gave it back. */
    RETURNED,
    /** Its host did not accept it in time. */
    EXPIRED,
    /** Its host was lost, or lost it. */
    LOST,
    /** It was told to make room for another job. */
    PREEMPTED,
    CANCELLED,
    /** It was told to leave its host, which is drained. */
    DRAINED,
    /** Another member of its gang had ended otherwise than well. */
    WITH_GANG,
    /** The pool of workers that had it was emptied. */
    RESET
  }

  /**
   * An attempt on a host.
   *
   * @param rank which member of a gang it is; absent if the job has one host
   * @param placedAt ISO 8601; absent where that is not known any more
   * @param startedAt ISO 8601; absent if it never ran
   * @param endedAt ISO 8601; absent while it is open
   * @param category why it failed, if it did
   * @param reason a sentence for people
   * @param usage what it took
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Attempt(
      int number,
      Integer rank,
      String host,
      List<String> devices,
      Stage stage,
      String placedAt,
      String startedAt,
      String endedAt,
      FailureCategory category,
      String reason,
      Integer exitCode,
      Usage usage) {}

  /** Of one that was refused at admission nothing is stored. */
  static DetailsView refused(RequestStatus status) {
    return new DetailsView(
        status, null, status.at(), List.of(), List.of(), null, null, List.of(), null, null);
  }

  static DetailsView of(
      RequestDetails details,
      List<Dependency> dependencies,
      List<Dependent> dependents,
      ExpectedEnd expectedEnd) {
    Optional<JobRow> job = details.job();
    List<Attempt> attempts = attempts(details);
    int all = job.map(one -> one.latest().number()).orElse(0);
    int shown = (int) attempts.stream().mapToInt(Attempt::number).distinct().count();
    return new DetailsView(
        details.status(),
        shown(details.row()),
        details.status().postedAt(),
        dependencies,
        dependents.stream().limit(DEPENDENTS).toList(),
        dependents.size() > DEPENDENTS ? dependents.size() - DEPENDENTS : null,
        job.filter(of -> details.row().attached())
            .map(of -> answered(details.row(), of))
            .orElse(null),
        attempts,
        all > shown ? all - shown : null,
        expectedEnd);
  }

  private static AnsweredBy answered(RequestRow row, JobRow job) {
    return new AnsweredBy(job.asked().firstRequest(), job.id(), row.cached());
  }

  private static List<Attempt> attempts(RequestDetails details) {
    boolean gang = details.job().filter(job -> job.latest().gang() != null).isPresent();
    List<Attempt> attempts = new ArrayList<>();
    details.over().forEach(one -> attempts.add(over(one, gang)));
    details.open().forEach(one -> attempts.add(open(one, gang)));
    return attempts;
  }

  private static Attempt over(PastAttempt one, boolean gang) {
    return new Attempt(
        one.number(),
        gang ? one.rank() : null,
        one.host(),
        one.devices(),
        one.how() == null ? null : Stage.valueOf(one.how().name()),
        Moments.text(one.placedAt()),
        Moments.text(one.runningSince()),
        Moments.text(one.endedAt()),
        one.category(),
        one.reason(),
        one.exitCode(),
        one.usage());
  }

  private static Attempt open(AttemptRow one, boolean gang) {
    return new Attempt(
        one.number(),
        gang ? one.rank() : null,
        one.host(),
        one.devices() == null ? List.of() : one.devices(),
        Stage.valueOf(one.state().name()),
        Moments.text(one.placedAt()),
        Moments.text(one.runningSince()),
        null,
        null,
        one.cancelReason(),
        null,
        null);
  }

  private static JsonNode shown(RequestRow row) {
    try {
      JsonNode request = Json.read(row.inForce());
      if (request.path("env") instanceof ObjectNode env) {
        ObjectNode hidden = ((ObjectNode) request).putObject("env");
        env.properties()
            .forEach(
                one ->
                    hidden.set(
                        one.getKey(),
                        one.getValue().isTextual()
                            ? TextNode.valueOf(
                                Secrets.shown(one.getKey(), one.getValue().textValue()))
                            : one.getValue()));
      }
      return request;
    } catch (MalformedJson e) {
      throw new IllegalStateException("a stored request cannot be read: " + row.id(), e);
    }
  }
}
