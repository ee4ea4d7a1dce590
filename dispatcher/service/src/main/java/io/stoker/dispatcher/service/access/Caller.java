package io.stoker.dispatcher.service.access;

import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens.Token;
import java.util.Optional;
import java.util.Set;

/**
 * The caller of REST and what they may do.
 *
 * @param name by the login; empty where nobody is asked for one
 * @param queues whose requests they may post and change; empty for all
 */
public record Caller(Optional<String> name, AccessRole role, Set<String> queues) {
  /** Whoever calls where no login is asked for. */
  public static final Caller ANYBODY = new Caller(Optional.empty(), AccessRole.ADMIN, Set.of());

  static Caller of(Token token) {
    return new Caller(Optional.of(token.name()), token.access(), Set.copyOf(token.queues()));
  }

  /** Whether they may post to a queue. */
  public boolean uses(String queue) {
    return queues.isEmpty() || queues.contains(queue);
  }

  /** Whether they may change everything, whoever sent it. */
  public boolean changesAll() {
    return role.includes(AccessRole.OPERATE) && queues.isEmpty();
  }

  /**
   * Whether they may change a request.
   *
   * @param sentBy who posted it; empty if that is not known
   */
  public boolean changes(Optional<String> sentBy, String queue) {
    return uses(queue)
        && (role.includes(AccessRole.OPERATE) || name.isPresent() && name.equals(sentBy));
  }
}
