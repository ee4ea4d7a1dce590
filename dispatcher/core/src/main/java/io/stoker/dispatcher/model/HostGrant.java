package io.stoker.dispatcher.model;

import io.stoker.common.message.HostMessage.Hello;
import io.stoker.dispatcher.model.HostRow.State;
import java.util.Optional;

/**
 * The epoch that a host was granted last, and what became of it. Which state may follow is decided
 * here alone.
 *
 * @param epoch granted to the agent's last start; only rises
 * @param nonce of the hello that it was granted to
 * @param journal id of the agent's journal
 * @param version of the agent
 * @param seenAt when it said that hello, ms since 1970
 */
public record HostGrant(
    long epoch, String nonce, String journal, String version, State state, long seenAt) {
  /** The next epoch is granted: whatever became of the one before, that is over. */
  public static HostGrant to(Hello hello, Optional<HostGrant> before, long now) {
    long next = before.map(HostGrant::epoch).orElse(0L) + 1;
    return new HostGrant(next, hello.nonce(), hello.journal(), hello.version(), State.UP, now);
  }

  HostGrant lost() {
    return become(epoch, State.LOST);
  }

  /** Its agent may believe to have its epoch still: nothing of that is believed any more. */
  HostGrant revoked() {
    return become(epoch + 1, State.LOST);
  }

  /** A goodbye in an epoch that has ended comes too late, and changes nothing. */
  HostGrant gone(long in) {
    return in == epoch && state.leadsTo(State.GONE) ? become(epoch, State.GONE) : this;
  }

  private HostGrant become(long newest, State next) {
    return new HostGrant(newest, nonce, journal, version, state.to(next), seenAt);
  }
}
