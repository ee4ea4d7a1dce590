package io.stoker.agent.ssh;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A machine that is reached by SSH.
 *
 * @param key file of the private key; empty = the user's standard ones
 * @param knownAs the name by which its host key is looked up
 * @param gpus that it has; empty if nothing is said of them
 */
public record Node(
    String user,
    String host,
    int port,
    Optional<Path> key,
    String knownAs,
    Optional<NodeGpus> gpus) {
  /** Where SSH servers listen. */
  public static final int STANDARD_PORT = 22;

  /** One of whose GPUs nothing is said. */
  public Node(String user, String host, int port, Optional<Path> key, String knownAs) {
    this(user, host, port, key, knownAs, Optional.empty());
  }

  /** {@code user@host:port}. */
  public String name() {
    boolean colons = host.indexOf(':') >= 0;
    return user + "@" + (colons ? "[" + host + "]" : host) + ":" + port;
  }

  @Override
  public String toString() {
    return name();
  }
}
