package io.stoker.cli.run;

/** Nothing can be heard any more of what is followed. */
public final class LostConnection extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LostConnection(String message) {
    super(message);
  }
}
