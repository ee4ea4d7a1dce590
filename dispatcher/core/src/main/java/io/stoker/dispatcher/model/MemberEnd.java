package io.stoker.dispatcher.model;

import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.FailureCategory;
import java.util.Comparator;
import java.util.List;

/**
 * The end of one host's part of an attempt: all of it, or a member of a gang.
 *
 * @param category why it failed, if it did
 * @param reason a sentence for people; null if it succeeded and nothing is to be warned of
 * @param exitCode of its process, null if it is not known
 * @param result JSON, null without one
 * @param usage what it took, null if it is not known
 */
public record MemberEnd(
    How how,
    FailureCategory category,
    String reason,
    Integer exitCode,
    String result,
    Usage usage) {
  /**
   * From the least to the most telling: what one member suffers makes the others fail, too, so that
   * of several ends the one that is furthest from the program is taken for the cause.
   */
  private static final List<FailureCategory> TELLING =
      List.of(
          FailureCategory.APP,
          FailureCategory.LIMIT,
          FailureCategory.TIMEOUT,
          FailureCategory.LAUNCH,
          FailureCategory.HOST_OOM,
          FailureCategory.GPU_OOM,
          FailureCategory.DEVICE_FAULT,
          FailureCategory.HOST_LOST);

  /** Among the ends of a gang the greatest is the cause; of equals the first that came. */
  public static final Comparator<MemberEnd> CAUSE =
      Comparator.comparing(MemberEnd::how)
          .thenComparing(end -> end.category() == null ? -1 : TELLING.indexOf(end.category()));

  /** In what way. */
  public enum How {
    SUCCEEDED,
    /** The dispatcher told it to end. */
    TOLD,
    /** The pool of workers that had it was emptied; never a gang's. */
    RESET,
    /** It succeeded, and its result cannot be kept. */
    INVALID,
    FAILED,
    /** Its host could not take it, or did not in time. */
    RETURNED
  }

  /** It could not be started, or what became of it is not its fault: costs no retry. */
  public static MemberEnd returned(String reason) {
    return new MemberEnd(How.RETURNED, null, reason, null, null, null);
  }

  public static MemberEnd failed(FailureCategory category, String reason) {
    return new MemberEnd(How.FAILED, category, reason, null, null, null);
  }

  public boolean succeeded() {
    return how == How.SUCCEEDED;
  }

  /** Whether it ended with its host, or was not to be had there. */
  public boolean lost() {
    return how == How.RETURNED || category == FailureCategory.HOST_LOST;
  }

  /** The same, as the end of what had been told to end before. */
  public MemberEnd told(String why) {
    return new MemberEnd(How.TOLD, null, why, exitCode, null, usage);
  }

  /** The same for people who see all of a gang. */
  MemberEnd by(int rank, String host) {
    String sentence = "rank %d on host %s: %s".formatted(rank, host, reason);
    return new MemberEnd(how, category, sentence, exitCode, result, usage);
  }
}
