package io.stoker.agent.pool;

import java.util.Locale;
import java.util.Optional;

/** The ways in which a pool is closed, the later the harder. */
public enum Closing {
  /** It runs all that it has. */
  DRAIN,
  /** It runs what has begun, and gives the rest back. */
  DISCARD,
  /** It gives everything back at once. */
  ABORT;

  /** By its name in messages. */
  public static Optional<Closing> of(String name) {
    for (Closing one : values()) {
      if (one.name().toLowerCase(Locale.ROOT).equals(name)) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }
}
