package io.stoker.agent.pool;

/** The end of a task in its pool. */
public sealed interface TaskEnd {

  /** Its worker answered: done, failed or out of memory. */
  record Answered(Answer answer) implements TaskEnd {}

  /** Its worker ended while it ran. */
  record Crashed(String how) implements TaskEnd {}

  /** A device of its worker has failed. */
  record DeviceFailed(String why) implements TaskEnd {}

  /** Its worker is gone with the agent before this, or had to go for what it had done before. */
  record Lost(String why) implements TaskEnd {}

  /**
   * It was taken out because that was asked for; nothing of it runs any more.
   *
   * @param asFailed whether it counts as failed
   */
  record Removed(boolean asFailed) implements TaskEnd {}

  /** Its worker was told of it, and told not to begin it, and has not. */
  record Withdrawn() implements TaskEnd {}

  /** Its session is over. */
  record Reset() implements TaskEnd {}

  /** The pool could not, or would not, run it to its end. */
  record Returned(String why) implements TaskEnd {}

  /** Whether it counts as failed. */
  default boolean failed() {
    return switch (this) {
      case Answered answered -> !(answered.answer() instanceof Answer.Done);
      case Crashed crashed -> true;
      case DeviceFailed failed -> true;
      case Lost lost -> true;
      case Removed removed -> removed.asFailed();
      default -> false;
    };
  }
}
