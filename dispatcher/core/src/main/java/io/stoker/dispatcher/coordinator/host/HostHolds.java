package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import java.lang.System.Logger.Level;

/**
 * Notes of hosts that what runs there is held, so that the next scheduler knows it, too: messages
 * in their names are refused for their key.
 */
public record HostHolds(HostTransactions transactions) {
  private static final System.Logger LOG = System.getLogger(HostHolds.class.getName());

  /** Nothing of the host expires from now on. */
  public Uni<Void> hold(String host) {
    String why =
        ("messages in the name of host %s are refused for their key: what it runs is held until its"
                + " agent reports under a valid one, or it is declared dead by stoker drain %s"
                + " --dead")
            .formatted(host, host);
    LOG.log(Level.WARNING, why);
    return transactions
        .updateScheduling(host, row -> row.with(row.key().heldFor(why)))
        .replaceWithVoid();
  }

  /** The host reports under a valid key again. */
  public Uni<Void> release(String host) {
    LOG.log(Level.INFO, "host %s reports under a valid key again".formatted(host));
    return transactions
        .updateScheduling(host, row -> row.with(row.key().released()))
        .replaceWithVoid();
  }
}
