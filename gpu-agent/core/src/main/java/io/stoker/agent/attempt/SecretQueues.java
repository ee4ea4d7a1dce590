package io.stoker.agent.attempt;

import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.security.SecretUsers;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The queues whose requests may use the secrets of this host.
 *
 * @param byName of the secret; {@code *} for all queues
 */
public record SecretQueues(Map<String, Set<String>> byName) {
  /** There are no secrets here. */
  public static final SecretQueues NONE = new SecretQueues(Map.of());

  public SecretQueues {
    byName = Map.copyOf(byName);
  }

  /**
   * Sees to it that a pool's are here.
   *
   * @throws IllegalArgumentException naming the one that is not
   */
  void require(PoolSettings pool) {
    pool.secrets()
        .forEach(
            (variable, secret) -> {
              if (!byName.containsKey(secret)) {
                throw new IllegalArgumentException(
                    "env.%s.secret: %s, expected a secret of this host, see stoker.agent.secrets.%s"
                        .formatted(variable, secret, secret));
              }
            });
  }

  /** Why a job of this queue may not be done by a pool whose workers have these secrets. */
  Optional<String> refusal(PoolSettings pool, Optional<String> queue) {
    return pool.secrets().values().stream()
        .filter(secret -> !mayUse(secret, queue.orElse("")))
        .findFirst()
        .map(
            secret ->
                "workers of pool %s have secret %s, which this host does not give to queue %s: see stoker.agent.secrets.%s.queues"
                    .formatted(pool.name(), secret, queue.orElse(""), secret));
  }

  private boolean mayUse(String secret, String queue) {
    return new SecretUsers(byName.getOrDefault(secret, Set.of())).include(queue);
  }
}
