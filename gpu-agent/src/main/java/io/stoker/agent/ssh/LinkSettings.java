package io.stoker.agent.ssh;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How nodes are reached.
 *
 * @param connectTimeout until a connection stands and the user is let in
 * @param answerTimeout longest silence of a node while something is asked of it
 * @param knownHosts file of host keys
 * @param unknownHosts what becomes of a node that is not in it
 */
public record LinkSettings(
    Duration connectTimeout, Duration answerTimeout, Path knownHosts, UnknownHosts unknownHosts) {

  /** What becomes of a node whose host key is not known. */
  public enum UnknownHosts {
    /** It is refused. */
    STRICT,
    /** Its key is written down, and must be the same from then on. */
    ACCEPT_NEW
  }
}
