package io.stoker.common.message;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.common.text.PlainText;
import java.util.List;
import java.util.Map;

/**
 * A request's whole current view, as published on the status topic and answered by REST. Once it
 * has ended it does not change any more.
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
 * @param answeredBy whose job answers it, where another request started that; else null
 * @param stopRequested whether its end was asked for
 * @param queue where it waits or waited
 * @param group its group
 * @param sentBy who posted it, by the login; null if nobody had to say who they are
 * @param postedAt when it was taken in, ISO 8601
 * @param queuedAt when it was bound to its job, ISO 8601; null while it waits for dependencies
 * @param startedAt when the current or last attempt began to run, ISO 8601; null if none has, and
 *     of a request for which nothing was run
 * @param endedAt when it ended, ISO 8601; null before
 * @param runtime seconds from {@code startedAt} to {@code endedAt}; null before the end
 * @param at when this was so, ISO 8601; of a request that has ended, when it did
 */
@JsonSerialize(using = StatusWriter.class)
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
    AnsweredBy answeredBy,
    boolean stopRequested,
    String queue,
    String group,
    String sentBy,
    String postedAt,
    String queuedAt,
    String startedAt,
    String endedAt,
    Double runtime,
    String at) {
  public RequestStatus {
    reason = PlainText.of(reason);
  }

  /**
   * Of a request that was refused, under an id that nobody holds.
   *
   * @param queue that it was posted to; null if it did not get as far
   */
  public static RequestStatus rejected(
      String id, String queue, Code code, String reason, String at) {
    Draft status = new Draft();
    status.id = id;
    status.queue = queue;
    status.state = RequestState.REJECTED;
    status.code = code;
    status.reason = reason;
    status.at = at;
    return status.status();
  }

  /** The same with another sentence. */
  public RequestStatus withReason(String sentence) {
    Draft same = same();
    same.reason = sentence;
    return same.status();
  }

  /** The same with another sentence, and without what may be large. */
  public RequestStatus bare(String sentence) {
    Draft bare = same();
    bare.devices = List.of();
    bare.members = null;
    bare.reason = sentence;
    bare.progress = null;
    bare.result = null;
    bare.scores = null;
    bare.usage = null;
    return bare.status();
  }

  private Draft same() {
    Draft same = new Draft();
    same.id = id;
    same.state = state;
    same.version = version;
    same.job = job;
    same.fingerprint = fingerprint;
    same.attempt = attempt;
    same.host = host;
    same.devices = devices;
    same.members = members;
    same.code = code;
    same.reason = reason;
    same.progress = progress;
    same.result = result;
    same.score = score;
    same.scores = scores;
    same.exitCode = exitCode;
    same.usage = usage;
    same.shared = shared;
    same.cached = cached;
    same.answeredBy = answeredBy;
    same.stopRequested = stopRequested;
    same.queue = queue;
    same.group = group;
    same.sentBy = sentBy;
    same.postedAt = postedAt;
    same.queuedAt = queuedAt;
    same.startedAt = startedAt;
    same.endedAt = endedAt;
    same.runtime = runtime;
    same.at = at;
    return same;
  }

  /** A view in the making; what is not set is not shown. */
  public static final class Draft {
    public String id;
    public RequestState state;
    public long version;
    public String job;
    public String fingerprint;
    public Integer attempt;
    public String host;
    public List<String> devices;
    public List<Member> members;
    public Code code;
    public String reason;
    public JsonNode progress;
    public JsonNode result;
    public Double score;
    public Map<String, Double> scores;
    public Integer exitCode;
    public Usage usage;
    public boolean shared;
    public boolean cached;
    public AnsweredBy answeredBy;
    public boolean stopRequested;
    public String queue;
    public String group;
    public String sentBy;
    public String postedAt;
    public String queuedAt;
    public String startedAt;
    public String endedAt;
    public Double runtime;
    public String at;

    public RequestStatus status() {
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
          reason,
          progress,
          result,
          score,
          scores,
          exitCode,
          usage,
          shared,
          cached,
          answeredBy,
          stopRequested,
          queue,
          group,
          sentBy,
          postedAt,
          queuedAt,
          startedAt,
          endedAt,
          runtime,
          at);
    }
  }

  /**
   * One of several hosts that a job is on at once.
   *
   * @param devices ids of its devices there, empty on CPU
   */
  public record Member(int rank, String host, List<String> devices) {}

  /**
   * Whose work answers a request.
   *
   * @param request which started it
   * @param job under which its output and its results are found
   */
  public record AnsweredBy(String request, String job) {}
}
