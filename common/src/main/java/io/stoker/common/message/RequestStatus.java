package io.stoker.common.message;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.common.text.PlainText;
import java.util.List;
import java.util.Map;

/**
 * A request's whole current view, as published on the status topic and answered by REST.
 *
 * @param id the request's id, the record's key
 * @param state where it stands
 * @param version rises with every change; drop what is not newer. 0 for REJECTED
 * @param job the job it is bound to
 * @param fingerprint what it means, once known
 * @param attempt number of the job's current or last attempt
 * @param host where that runs or ran; of a gang, its rank 0
 * @param devices ids of its devices there, empty on CPU
 * @param members the hosts of a gang, by rank; null if it has one host
 * @param code more than the state says
 * @param reason a sentence for people
 * @param progress the job's last progress message
 * @param result the result, once SUCCEEDED; any JSON
 * @param score the result's first number
 * @param scores all of its numbers by label
 * @param exitCode the last attempt's
 * @param usage what the last attempt took that ended, as far as it is known
 * @param shared whether it shares another request's job
 * @param cached whether it was answered by a job that had finished before
 * @param stopRequested whether its end was asked for
 * @param queue where it waits or waited
 * @param group its group
 * @param at when this was so, ISO 8601
 */
public record RequestStatus(
    String id,
    RequestState state,
    long version,
    String job,
    String fingerprint,
    Integer attempt,
    String host,
    List<String> devices,
    List<Member> members,
    Code code,
    String reason,
    JsonNode progress,
    JsonNode result,
    Double score,
    Map<String, Double> scores,
    Integer exitCode,
    Usage usage,
    boolean shared,
    boolean cached,
    boolean stopRequested,
    String queue,
    String group,
    String at) {

  public RequestStatus {
    reason = PlainText.of(reason);
  }

  /** Of a job that has one host, or none. */
  public RequestStatus(
      String id,
      RequestState state,
      long version,
      String job,
      String fingerprint,
      Integer attempt,
      String host,
      List<String> devices,
      Code code,
      String reason,
      JsonNode progress,
      JsonNode result,
      Double score,
      Map<String, Double> scores,
      Integer exitCode,
      Usage usage,
      boolean shared,
      boolean cached,
      boolean stopRequested,
      String queue,
      String group,
      String at) {
    this(
        id,
        state,
        version,
        job,
        fingerprint,
        attempt,
        host,
        devices,
        null,
        code,
        reason,
        progress,
        result,
        score,
        scores,
        exitCode,
        usage,
        shared,
        cached,
        stopRequested,
        queue,
        group,
        at);
  }

  /** The same with another sentence. */
  public RequestStatus withReason(String sentence) {
    return new RequestStatus(
        id,
        state,
        version,
        job,
        fingerprint,
        attempt,
        host,
        devices,
        members,
        code,
        sentence,
        progress,
        result,
        score,
        scores,
        exitCode,
        usage,
        shared,
        cached,
        stopRequested,
        queue,
        group,
        at);
  }

  /**
   * One of several hosts that a job is on at once.
   *
   * @param devices ids of its devices there, empty on CPU
   */
  public record Member(int rank, String host, List<String> devices) {}
}
