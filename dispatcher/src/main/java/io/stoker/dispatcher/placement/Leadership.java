package io.stoker.dispatcher.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.config.StokerConfig;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.FleetTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.OptionalLong;
import java.util.UUID;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/**
 * Whether this replica schedules the fleet. It may be wrong at any moment: every placement
 * transaction locks the fleet's row and checks the epoch.
 */
@ApplicationScoped
public class Leadership {
  private static final Logger LOG = Logger.getLogger(Leadership.class);

  private final Database database;
  private final String fleet;
  private final String replica;
  private final long termMs;
  private volatile OptionalLong epoch = OptionalLong.empty();

  Leadership(Database database, StokerConfig config) {
    this.database = database;
    fleet = config.fleet();
    // Never the same twice: a restarted replica must not take itself for its predecessor.
    replica = config.replica().orElse("dispatcher") + "-" + UUID.randomUUID();
    termMs = config.placement().takeover().toMillis();
  }

  public String fleet() {
    return fleet;
  }

  /** The epoch under which this replica schedules, if it does. */
  public OptionalLong epoch() {
    return epoch;
  }

  /** Claims the fleet or renews the claim; to be called more often than the term ends. */
  public Uni<Boolean> renew() {
    return database
        .once(
            session ->
                FleetTable.claim(session, fleet, replica, termMs)
                    .call(claimed -> takeOver(session, claimed)))
        .onFailure()
        .recoverWithItem(OptionalLong.empty())
        .map(this::note);
  }

  /**
   * A pass is told of by no record that would be delivered again: if its scheduler died between
   * publishing and looking whether that was overtaken, an older status would be the last.
   */
  private Uni<Void> takeOver(StatelessSession session, OptionalLong claimed) {
    return claimed.isEmpty() || claimed.equals(epoch)
        ? Uni.createFrom().voidItem()
        : FleetTable.oweAnnounced(session, fleet);
  }

  public Uni<Void> release() {
    epoch = OptionalLong.empty();
    return database.once(session -> FleetTable.release(session, fleet, replica)).replaceWithVoid();
  }

  /** The database says that somebody else schedules. */
  public void lost() {
    epoch = OptionalLong.empty();
  }

  private boolean note(OptionalLong now) {
    if (!now.equals(epoch)) {
      LOG.infof(
          now.isPresent() ? "scheduling fleet %s, epoch %s" : "not scheduling fleet %s",
          fleet,
          now.isPresent() ? now.getAsLong() : "");
    }
    epoch = now;
    return now.isPresent();
  }
}
