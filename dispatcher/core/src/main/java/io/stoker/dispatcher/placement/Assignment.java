package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Takes;

/**
 * A job given to a host.
 *
 * @param takes what its attempt takes; no GPU where CPU slots serve instead
 * @param ahead whether it is held behind its host's CPU slots, of which none is free
 */
public record Assignment(String job, String host, Takes takes, boolean ahead) {
  /** A job for which there is room now. */
  public Assignment(String job, String host, Takes takes) {
    this(job, host, takes, false);
  }

  /** The same behind its host's CPU slots. */
  Assignment lookingAhead() {
    return new Assignment(job, host, takes, true);
  }
}
