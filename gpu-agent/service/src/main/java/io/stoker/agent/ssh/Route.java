package io.stoker.agent.ssh;

import java.util.Optional;

/**
 * One try to log in to a node. What is found on the way is kept here and not in the session's
 * attributes: a session that closes forgets those, at any moment after its host key was refused.
 */
final class Route {
  private final Node node;
  private volatile Optional<String> refused = Optional.empty();

  Route(Node node) {
    this.node = node;
  }

  Node node() {
    return node;
  }

  /** The node, or what is known of it, is not what it should be. */
  void refuse(String why) {
    refused = Optional.of(why);
  }

  /** Why it leads nowhere until a person has looked, if so. */
  Optional<String> refused() {
    return refused;
  }
}
