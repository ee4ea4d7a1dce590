package io.stoker.agent.report;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An event, and the token that signs it when it is sent. Each is one of its own, whatever it says.
 */
final class Unsent {
  private static final System.Logger LOG = System.getLogger(Unsent.class.getName());

  /** About what an event takes beside its texts and what the job gave. */
  private static final int PLAIN = 500;

  /** Bytes that a character of plain text takes in JSON at most. */
  private static final int WIDEST = 6;

  private AttemptEvent event;
  private final String token;
  private final int partition;
  private final int bytes;

  /**
   * @param partition only with others of it the event may share a record
   */
  Unsent(AttemptEvent event, String token, int partition) {
    this.event = event;
    this.token = token;
    this.partition = partition;
    this.bytes =
        PLAIN
            + (event.message() == null ? 0 : WIDEST * event.message().length())
            + (event.result() == null ? 0 : Json.bytes(event.result()).length)
            + (event.progress() == null ? 0 : Json.bytes(event.progress()).length);
  }

  AttemptEvent event() {
    return event;
  }

  String token() {
    return token;
  }

  AttemptKey key() {
    return new AttemptKey(event.job(), event.attempt());
  }

  int partition() {
    return partition;
  }

  /** Its size as JSON, or a little more. */
  int bytes() {
    return bytes;
  }

  boolean is(Type type) {
    return event.type() == type;
  }

  /**
   * The event as it is signed; a plain one in its place if it cannot be signed, so that it holds up
   * nothing behind it, and nothing if its token is none.
   *
   * @param sign signs {@link #event} as it is
   */
  <T> Optional<T> signed(Supplier<T> sign) {
    try {
      return Optional.of(sign.get());
    } catch (IllegalArgumentException e) {
      strip(e.getMessage());
    }
    try {
      return Optional.of(sign.get());
    } catch (IllegalArgumentException e) {
      LOG.log(
          Level.ERROR,
          "event %d of %s is not sent: %s".formatted(event.seq(), key(), e.getMessage()));
      return Optional.empty();
    }
  }

  /** Leaves out what the job gave, with which the event cannot be sent. */
  void strip(String why) {
    LOG.log(
        Level.ERROR,
        "event %d of %s cannot be sent with what the job gave, and is sent without that: %s"
            .formatted(event.seq(), key(), why));
    event = event.withoutValues("its result cannot be sent: " + why);
  }
}
