package io.stoker.agent.report;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.security.Macs;
import java.util.Base64;

/**
 * An event, and the token that signs it when it is sent. Each is one of its own, whatever it says.
 */
final class Unsent {
  /** About what an event takes beside its result. */
  private static final int PLAIN = 500;

  private final AttemptEvent event;
  private final String token;
  private final int lane;
  private final int bytes;

  /**
   * @param lane only with others of it the event may share a record
   */
  Unsent(AttemptEvent event, String token, int lane) {
    this.event = event;
    this.token = token;
    this.lane = lane;
    this.bytes =
        PLAIN
            + (event.result() == null ? 0 : event.result().toString().length())
            + (event.progress() == null ? 0 : event.progress().toString().length());
  }

  AttemptEvent event() {
    return event;
  }

  AttemptKey key() {
    return new AttemptKey(event.job(), event.attempt());
  }

  int lane() {
    return lane;
  }

  /** About its size as JSON. */
  int bytes() {
    return bytes;
  }

  boolean is(Type type) {
    return event.type() == type;
  }

  /** Whether an end makes it needless: that the attempt was accepted, and runs. */
  boolean isStep() {
    return is(Type.ACCEPTED) || is(Type.RUNNING);
  }

  AttemptEvent signed() {
    return event.signed(Macs.sign(Base64.getDecoder().decode(token), event));
  }
}
