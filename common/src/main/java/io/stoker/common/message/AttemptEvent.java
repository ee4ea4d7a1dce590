package io.stoker.common.message;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.stoker.common.security.Macs;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.text.PlainText;
import java.util.List;

/**
 * An event of an attempt, as its agent tells it. Terminal events are self-contained: all before
 * them may be missing. Its texts are {@linkplain PlainText plain}, whoever made them.
 *
 * @param job the job's id
 * @param attempt its number
 * @param seq rises with each event of the attempt, gaps allowed; not newer = duplicate
 * @param type what happened
 * @param at the agent's clock, ms since 1970
 * @param devices ids of the devices given (ACCEPTED and later), empty on CPU slots
 * @param startedAt when the process started, ms since 1970 (RUNNING and later)
 * @param outcome how it ended (ENDED only)
 * @param category why it failed (ENDED with FAILED only); one that is not known here is read as
 *     null, and counts as {@link FailureCategory#APP}
 * @param message a sentence for people, {@value PlainText#LONGEST} characters at most
 * @param exitCode the process's exit code, 128 + signal if killed
 * @param progress the last progress: a number of 0 to 1 or {@code {"done","total","message"}}; of
 *     what is held by its host {@code {"stage","message"}}, which says why
 * @param result an intermediate result (RESULT) or the result (ENDED)
 * @param usage what it took (ENDED)
 * @param address {@code host:port} where rank 0 of a gang is to be met by the others (ACCEPTED)
 * @param warning of what {@link #message} warns (PROGRESS), or for what it was ended (ENDED); null
 *     otherwise, and from an agent that warned of memory alone
 * @param againMs in how many ms the host may be asked again for such a job, from when this was said
 *     (RETURNED); 0 or more, null if it cannot say
 * @param mac HMAC under the attempt's token: of the event, or in a record that has a code of its
 *     own, of which event it is; see {@link io.stoker.common.security.Macs}
 */
@JsonSerialize(using = EventWriter.class)
public record AttemptEvent(
    String job,
    int attempt,
    int seq,
    Type type,
    long at,
    List<String> devices,
    Long startedAt,
    Outcome outcome,
    @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        FailureCategory category,
    String message,
    Integer exitCode,
    JsonNode progress,
    JsonNode result,
    Usage usage,
    String address,
    @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL) Warning warning,
    Long againMs,
    String mac) {
  public AttemptEvent {
    job = PlainText.of(job);
    devices = PlainText.of(devices);
    message = PlainText.sentence(message);
    address = PlainText.of(address);
  }

  /** One of this attempt, its first if no other number is set. */
  public static EventBuilder of(String job, int attempt) {
    return new EventBuilder(job, attempt);
  }

  public EventBuilder change() {
    return new EventBuilder(this);
  }

  public enum Type {
    /** Journaled and given devices; again, with {@link #progress}, while it is held there. */
    ACCEPTED,
    /** The process runs. */
    RUNNING,
    /** The job told its progress; or, with a {@link #message}, the agent warns of it. */
    PROGRESS,
    /** An intermediate result. */
    RESULT,
    /** It is over, and no process of it is left. */
    ENDED
  }

  /** What is not as it should be with an attempt. */
  public enum Warning {
    /** It takes more memory than it was promised. */
    MEMORY,
    /** Its GPUs do next to nothing. */
    GPU_IDLE,
    /** It has written more than it may. */
    DISK,
    /** Its result cannot be kept, for which it failed. */
    RESULT,
    /** What was warned of before is so no more. */
    OVER
  }

  /** How an attempt ended. */
  public enum Outcome {
    SUCCEEDED,
    FAILED,
    CANCELLED,
    /** The agent could not take it: no failure, and it costs no retry. */
    RETURNED,
    /** Its process went away with the agent or the machine. */
    LOST,
    /** Its pool of workers was reset. */
    POOL_RESET
  }

  /**
   * What an attempt took.
   *
   * @param wallMs from start to end
   * @param cpuMs CPU time of the process tree, if known
   * @param peakMemory bytes of host memory at the peak, if known
   * @param peakGpuMemory bytes of GPU memory at the peak, of all its devices together, if known
   * @param gpuUtilization percent that its devices were busy, on average, if known; of a device
   *     that it shares, others' work counts, too
   * @param gpuMs devices × ms; of a device that it shares, as much as it was promised of its memory
   * @param energyMj millijoules that its devices took, if known; of a shared one in proportion
   * @param waitedMs from its acceptance by its host to its start; null from an agent that does not
   *     tell
   * @param loadMs that a staged attempt was in its load, all loads together; null if it is not
   *     staged, and from an agent that does not tell
   * @param trainMs likewise in its training
   * @param silent true if it has printed nothing: then none of it is on the logs topic, not even a
   *     last chunk. null otherwise, and from an agent that writes one all the same
   * @param kept as whom it ran, and what it was kept from, for people; null where it ran as every
   *     job does, as the agent's own user, and from an agent that does not tell
   */
  public record Usage(
      Long wallMs,
      Long cpuMs,
      Long peakMemory,
      Long peakGpuMemory,
      Integer gpuUtilization,
      Long gpuMs,
      Long energyMj,
      Long waitedMs,
      Long loadMs,
      Long trainMs,
      Boolean silent,
      String kept) {
    public Usage {
      kept = PlainText.sentence(kept);
    }

    /** Of one that is not staged. */
    public Usage(
        Long wallMs,
        Long cpuMs,
        Long peakMemory,
        Long peakGpuMemory,
        Integer gpuUtilization,
        Long gpuMs,
        Long energyMj,
        Long waitedMs) {
      this(
          wallMs,
          cpuMs,
          peakMemory,
          peakGpuMemory,
          gpuUtilization,
          gpuMs,
          energyMj,
          waitedMs,
          null,
          null,
          null,
          null);
    }

    /** Of which no more is known than its time and its peaks. */
    public Usage(Long wallMs, Long cpuMs, Long peakMemory, Long peakGpuMemory) {
      this(wallMs, cpuMs, peakMemory, peakGpuMemory, null, null, null, null);
    }
  }

  /** With the proof of the attempt's token, as it is in a record that is signed as a whole. */
  public AttemptEvent proven(byte[] token) {
    String ended = outcome == null ? null : outcome.name();
    return signed(Macs.proof(token, job, attempt, seq, type.name(), ended));
  }

  public AttemptEvent signed(String code) {
    return change().mac(code).build();
  }

  /**
   * The same without what the job gave, which cannot be sent: a success becomes a failure for that,
   * since the result is lost.
   *
   * @param why for people
   */
  public AttemptEvent withoutValues(String why) {
    boolean lost = outcome == Outcome.SUCCEEDED && result != null;
    EventBuilder plain = change().progress(null).result(null).mac(null);
    return lost
        ? plain
            .outcome(Outcome.FAILED)
            .category(FailureCategory.APP)
            .message(why)
            .warning(Warning.RESULT)
            .build()
        : plain.build();
  }
}
