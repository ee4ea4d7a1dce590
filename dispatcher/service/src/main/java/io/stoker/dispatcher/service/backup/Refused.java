package io.stoker.dispatcher.service.backup;

/** It is not done, and nothing has changed; the message says why, with figures, and what to do. */
public final class Refused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Refused(String message) {
    super(message, null, false, false);
  }
}
