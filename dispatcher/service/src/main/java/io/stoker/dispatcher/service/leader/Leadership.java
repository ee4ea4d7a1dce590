package io.stoker.dispatcher.service.leader;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.placement.Takeover;
import io.stoker.dispatcher.placement.Takeover.Look;
import io.stoker.dispatcher.service.backup.Replay;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.FleetTable;
import io.stoker.dispatcher.service.postgres.RestorationTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/**
 * Whether this replica schedules the fleet. It may be wrong at any moment: every placement
 * transaction locks the fleet's row and checks the epoch.
 */
@ApplicationScoped
public class Leadership implements Leader {
  private static final Logger LOG = Logger.getLogger(Leadership.class);

  private final Database database;
  private final String fleet;
  private final String replica;
  private final long termMs;
  private final long reliedOnMs;
  private final Fitness fitness;
  private final Replay replay;
  private volatile Term term = Term.NONE;
  private volatile boolean unfit;

  /** What was seen of who schedules; looks come one after the other. */
  private volatile Takeover takeover = Takeover.START;

  private volatile Optional<String> otherFleet = Optional.empty();

  /**
   * What was claimed last.
   *
   * @param sentAt when the claim was sent, ms on a clock that only rises
   */
  private record Term(OptionalLong epoch, long sentAt) {
    private static final Term NONE = new Term(OptionalLong.empty(), 0);
  }

  Leadership(Database database, StokerConfig config, Fitness fitness, Replay replay) {
    this.database = database;
    this.replay = replay;
    this.fitness = fitness;
    fleet = config.fleet();
    // Never the same twice: a restarted replica must not take itself for its predecessor.
    replica = config.replica().orElse("dispatcher") + "-" + UUID.randomUUID();
    termMs = config.placement().takeover().toMillis();
    reliedOnMs = Math.max(termMs, config.runDeadline().toMillis());
  }

  @Override
  public String fleet() {
    return fleet;
  }

  /**
   * The epoch under which this replica schedules, if it does. Where the claim was not renewed for
   * long it does not, even if the database cannot be asked: another one has taken over.
   */
  @Override
  public OptionalLong epoch() {
    Term last = term;
    return now() - last.sentAt() < reliedOnMs ? last.epoch() : OptionalLong.empty();
  }

  /**
   * Claims the fleet or renews the claim; to be called more often than the term ends. A replica
   * that cannot do the work gives the fleet up instead; nobody claims it while a restored database
   * is still to be told what it has lost.
   */
  public Uni<Boolean> renew() {
    List<String> troubles = fitness.troubles();
    if (!troubles.isEmpty()) {
      return giveUp(troubles);
    }
    unfit = false;
    long sentAt = now();
    return database
        .once(
            session ->
                RestorationTable.open(session)
                    .chain(
                        restored ->
                            restored
                                ? Uni.createFrom().item(Optional.<Look>empty())
                                : claim(session).map(Optional::of)))
        .chain(look -> look.map(this::seen).orElseGet(this::readAgain))
        .onFailure()
        .invoke(() -> takeover = takeover.failed())
        .onFailure()
        .recoverWithItem(OptionalLong.empty())
        .map(claimed -> note(new Term(claimed, sentAt)));
  }

  private Uni<Look> claim(StatelessSession session) {
    return forgetOthers(session)
        .chain(() -> FleetTable.claim(session, fleet, replica, termMs, takeover, now()))
        .call(look -> takeOver(session, look.epoch()));
  }

  private Uni<OptionalLong> seen(Look look) {
    replay.over();
    saw(look);
    return Uni.createFrom().item(look.epoch());
  }

  private Uni<OptionalLong> readAgain() {
    return replay
        .look()
        .onFailure()
        .invoke(error -> LOG.warnf("how far the topics are read again is not known: %s", error))
        .replaceWith(OptionalLong.empty());
  }

  private Uni<Boolean> giveUp(List<String> troubles) {
    if (!unfit) {
      unfit = true;
      LOG.warnf("not scheduling fleet %s for now: %s", fleet, String.join("; ", troubles));
    }
    return epoch().isEmpty()
        ? Uni.createFrom().item(false)
        : release().onFailure().recoverWithNull().replaceWith(false);
  }

  /** Only who has just started: those whose scheduler is silent later on may only be slow. */
  private Uni<Void> forgetOthers(StatelessSession session) {
    return takeover.started()
        ? FleetTable.forgetOthers(session, fleet)
        : Uni.createFrom().voidItem();
  }

  private void saw(Look look) {
    takeover = takeover.saw(look.claim(), now());
    Optional<String> another = Optional.of(look.fleet()).filter(name -> !name.equals(fleet));
    if (another.isPresent() && !another.equals(otherFleet)) {
      LOG.errorf(
          "this dispatcher schedules nothing: stoker.fleet is %s, and the database belongs to fleet"
              + " %s. A database has one fleet: give this one a database and topics of its own, or"
              + " set stoker.fleet to %2$s",
          fleet, another.get());
    }
    otherFleet = another;
  }

  /** The fleet to which the database belongs, if it is not the one that is configured. */
  public Optional<String> otherFleet() {
    return otherFleet;
  }

  /**
   * A pass is told of by no record that would be delivered again: if its scheduler died before it
   * published what it had committed, nobody would.
   */
  private Uni<Void> takeOver(StatelessSession session, OptionalLong claimed) {
    return claimed.isEmpty() || claimed.equals(term.epoch())
        ? Uni.createFrom().voidItem()
        : FleetTable.oweAnnounced(session, fleet);
  }

  public Uni<Void> release() {
    term = Term.NONE;
    return database.once(session -> FleetTable.release(session, fleet, replica)).replaceWithVoid();
  }

  /** The database says that somebody else schedules. */
  @Override
  public void lost() {
    term = Term.NONE;
  }

  private boolean note(Term next) {
    OptionalLong now = next.epoch();
    if (!now.equals(term.epoch())) {
      LOG.infof(
          now.isPresent() ? "scheduling fleet %s, epoch %s" : "not scheduling fleet %s",
          fleet,
          now.isPresent() ? now.getAsLong() : "");
    }
    term = next;
    return now.isPresent();
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }
}
