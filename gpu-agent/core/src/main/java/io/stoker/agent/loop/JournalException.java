package io.stoker.agent.loop;

import java.io.IOException;
import java.io.UncheckedIOException;

/** The journal cannot be used. An agent that cannot journal must not act. */
public final class JournalException extends UncheckedIOException {
  public JournalException(String message, IOException cause) {
    super(message + ": " + cause.getMessage(), cause);
  }
}
