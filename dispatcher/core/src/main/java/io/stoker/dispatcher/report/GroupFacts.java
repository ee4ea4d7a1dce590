package io.stoker.dispatcher.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import java.util.List;
import java.util.function.Function;

/**
 * The facts of a group that its report shows. Times are ms since 1970.
 *
 * @param state OPEN, CLOSED or ENDED; an experiment's own state
 * @param objective max or min; null for a group that is no experiment
 * @param reason why it ended before its time; null if it did not
 * @param best the request with the best score; null if there is none
 * @param endedAt when all of it had ended; null before
 * @param now when this was read
 * @param requests in order of arrival
 * @param left requests that are left out, since there are so many
 */
public record GroupFacts(
    String name,
    String state,
    String objective,
    String reason,
    String best,
    Double bestScore,
    long total,
    long succeeded,
    long failed,
    long cancelled,
    long startedAt,
    Long endedAt,
    long now,
    List<Item> requests,
    long left) {
  /**
   * A request.
   *
   * @param score that it ended with; of an early-stopped one the last that it gave while it ran
   * @param startedAt when its last attempt started, as far as that is known
   * @param endedAt when its job ended; null before, and where it ended without
   * @param usage what its last attempt took, as far as that is known; else null
   * @param params canonical JSON; null for none
   */
  public record Item(
      String id,
      RequestState state,
      Code code,
      String reason,
      Double score,
      String host,
      List<String> devices,
      Integer attempt,
      Integer exitCode,
      boolean shared,
      boolean cached,
      long arrivedAt,
      Long startedAt,
      Long endedAt,
      @JsonIgnore Usage usage,
      String params) {
    /** Bytes of host memory at the peak; null if not known. */
    @JsonProperty
    public Long peakMemory() {
      return taken(Usage::peakMemory);
    }

    /** Likewise of GPU memory. */
    @JsonProperty
    public Long peakGpuMemory() {
      return taken(Usage::peakGpuMemory);
    }

    /** Ms that a staged job loaded; null of one that is not, and if not known. */
    @JsonProperty("loadMs")
    public Long loaded() {
      return taken(Usage::loadMs);
    }

    /** Likewise that it trained. */
    @JsonProperty("trainMs")
    public Long trained() {
      return taken(Usage::trainMs);
    }

    private Long taken(Function<Usage, Long> part) {
      return usage == null ? null : part.apply(usage);
    }

    /** From its arrival to its end; null before. What was known before it came took no time. */
    public Long took() {
      return endedAt == null ? null : Long.valueOf(Math.max(0, endedAt - arrivedAt));
    }

    /**
     * From its start to its end, as far as that is known; null of what was known before it came.
     */
    public Long ranFor() {
      return startedAt == null || endedAt == null || cached ? null : endedAt - startedAt;
    }

    /** From its arrival to its start, as far as that is known; no less than 0. */
    public Long waited() {
      return ranFor() == null ? null : Long.valueOf(Math.max(0, startedAt - arrivedAt));
    }

    /** Whether this request, and no other, ran when it says. */
    boolean ran() {
      return startedAt != null && endedAt != null && !cached && host != null;
    }
  }

  /** Whether the times of stages are known of any. */
  boolean staged() {
    return requests.stream().anyMatch(item -> item.loaded() != null);
  }

  /** From its start to its end, or until it was read. */
  public long took() {
    return (endedAt == null ? now : endedAt) - startedAt;
  }

  /** Such as {@code 24 total, 22 successful, 1 failed, 1 cancelled, 00:00:12.345}. */
  public String summary() {
    return "%d total, %d successful, %d failed%s, %s"
        .formatted(
            total,
            succeeded,
            failed,
            cancelled == 0 ? "" : ", %d cancelled".formatted(cancelled),
            Times.clock(took()));
  }
}
