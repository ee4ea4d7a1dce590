package io.stoker.common.security;

import java.util.Set;

/**
 * Whose requests may use a secret.
 *
 * @param queues their names; {@code *} for all queues
 */
public record SecretUsers(Set<String> queues) {
  private static final String ANY = "*";

  public SecretUsers {
    queues = Set.copyOf(queues);
  }

  /** Whether those of this queue. */
  public boolean include(String queue) {
    return queues.contains(ANY) || queues.contains(queue);
  }
}
