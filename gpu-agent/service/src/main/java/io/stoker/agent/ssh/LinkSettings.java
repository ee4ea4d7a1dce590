package io.stoker.agent.ssh;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.sshd.common.config.keys.FilePasswordProvider;

/**
 * The settings by which nodes are reached.
 *
 * @param connectTimeout until a connection stands and the user is let in
 * @param answerTimeout longest silence of a node while something is asked of it
 * @param knownHosts file of host keys
 * @param unknownHosts what becomes of a node that is not in it
 * @param passphrase of those private keys that have one
 */
public record LinkSettings(
    Duration connectTimeout,
    Duration answerTimeout,
    Path knownHosts,
    UnknownHosts unknownHosts,
    Optional<String> passphrase) {
  /** As the client asks for them. */
  FilePasswordProvider passphrases() {
    return passphrase.map(FilePasswordProvider::of).orElse(FilePasswordProvider.EMPTY);
  }

  /** All but the passphrase, which is nobody's business. */
  @Override
  public String toString() {
    return "LinkSettings[known hosts %s, %s]".formatted(knownHosts, unknownHosts);
  }

  /** What becomes of a node whose host key is not known. */
  public enum UnknownHosts {
    /** It is refused. */
    STRICT,
    /** Its key is written down, and must be the same from then on. */
    ACCEPT_NEW
  }
}
