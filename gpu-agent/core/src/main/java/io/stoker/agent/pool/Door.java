package io.stoker.agent.pool;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** Whether a pool takes tasks, and how it is being closed. One that has failed is neither. */
final class Door {
  private PoolStatus status;
  private Optional<Closing> closing;
  private OptionalLong abortAt = OptionalLong.empty();
  private String reason;

  /**
   * @param told how an agent before this was told to close it
   * @param up whether the workers that are always to be there are
   */
  Door(Optional<Closing> told, boolean up) {
    closing = told;
    if (told.isPresent()) {
      closed();
    } else {
      serve(up);
    }
  }

  PoolStatus status() {
    return status;
  }

  /** Why it does not serve, null if it does. */
  String reason() {
    return reason;
  }

  Optional<Closing> closing() {
    return closing;
  }

  boolean takes() {
    return status.takes();
  }

  /** Whether tasks that it has may still be run. */
  boolean runs() {
    return takes() || status == PoolStatus.CLOSING;
  }

  /** It takes tasks. */
  void serve(boolean up) {
    reason = null;
    status = up ? PoolStatus.SERVING : PoolStatus.STARTING;
  }

  void open(boolean up) {
    closing = Optional.empty();
    serve(up);
  }

  /**
   * It takes no more.
   *
   * @return whether anything changes: closing softer than before is nothing
   */
  boolean close(Closing how) {
    boolean already = closing.map(before -> before.compareTo(how) >= 0).orElse(false);
    if (status == PoolStatus.CLOSED || already) {
      return false;
    }
    closing = Optional.of(how);
    status = PoolStatus.CLOSING;
    reason = "it is being closed";
    return true;
  }

  void closed() {
    status = PoolStatus.CLOSED;
    reason = "it was closed";
  }

  /** None of its workers can be had. */
  void fail(String why) {
    status = closing.isPresent() ? status : PoolStatus.FAILED;
    reason = why;
  }

  /** What still runs then is killed, unless it is already. */
  void abortAt(long at) {
    if (abortAt.isEmpty() && !closing.equals(Optional.of(Closing.ABORT))) {
      abortAt = OptionalLong.of(at);
    }
  }

  /** Whether it is to be closed hard now; then it is not again. */
  boolean takeAbort(long now) {
    boolean due = abortAt.isPresent() && now >= abortAt.getAsLong();
    abortAt = due ? OptionalLong.empty() : abortAt;
    return due;
  }

  LongStream nextTick() {
    return abortAt.stream();
  }
}
