package io.stoker.cli.kafka;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;

/** Nothing can be heard any more of what is followed: whoever follows it can say how it goes on. */
public final class LostConnection extends CliException {
  private static final long serialVersionUID = 1L;

  LostConnection(String message) {
    super(ExitCode.UNREACHABLE, message, null);
  }
}
