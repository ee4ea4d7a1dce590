package io.stoker.agent.pool;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * Tells whether a pool takes tasks, what it was told as a whole, and how it is being closed. One
 * that has failed takes none and is not being closed. The next agent knows what it was told.
 */
final class PoolLifecycle {
  private final PoolContext context;
  private final TaskCounts counts;
  private int session;

  /** How it was told to close; what the end of its agent asks for is forgotten with that. */
  private Optional<Closing> told;

  private PoolStatus status;
  private Optional<Closing> closing;
  private OptionalLong abortAt = OptionalLong.empty();
  private String reason;

  /**
   * @param memory of the agents before this
   */
  PoolLifecycle(PoolContext context, TaskCounts counts, PoolMemory memory) {
    this.context = context;
    this.counts = counts;
    session = memory.session();
    told = memory.closing();
    closing = told;
    if (told.isPresent()) {
      closed();
    } else {
      serve(context.settings().min() == 0);
    }
  }

  int session() {
    return session;
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

  /** What it was told, or what cannot be counted again, has changed. */
  void remember() {
    context.effect(new PoolEffect.Remember(session, told, counts.crashes));
  }

  /** Begins a session. */
  void reset() {
    session++;
    remember();
    context.note("reset: session %d", session);
  }

  /**
   * It takes tasks.
   *
   * @param up whether the workers that are always to be there are
   */
  void serve(boolean up) {
    reason = null;
    status = up ? PoolStatus.SERVING : PoolStatus.STARTING;
  }

  /** It was told to open. */
  void open(boolean up) {
    closing = Optional.empty();
    serve(up);
    told = Optional.empty();
    remember();
  }

  /** It was told to close: softer than before is nothing. */
  void told(Closing how) {
    if (told.isEmpty() || told.get().compareTo(how) < 0) {
      told = Optional.of(how);
      remember();
    }
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
    context.note("closing: %s", how);
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
    context.note("%s", why);
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
