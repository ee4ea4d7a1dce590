package io.stoker.dispatcher.coordinator.leader;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Takeover;
import io.stoker.dispatcher.model.Takeover.Look;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Elects the replica that schedules the fleet, by a claim in the store that it renews. It may be
 * wrong at any moment: every placement transaction locks the fleet's row and checks the epoch.
 */
public final class LeaderElection implements Leader {
  private static final System.Logger LOG = System.getLogger(LeaderElection.class.getName());

  private final Environment environment;
  private final Store store;
  private final Terms terms;
  private final Supplier<List<String>> troubles;
  private final Restoration restoration;
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

  /**
   * @param fleet its name
   * @param replica never the same twice: a restarted one must not take itself for its predecessor
   * @param termMs how long a claim lasts that is not renewed
   * @param reliedOnMs how long this replica goes by its last claim if it cannot renew it
   */
  public record Terms(String fleet, String replica, long termMs, long reliedOnMs) {}

  /**
   * @param troubles sentences about what keeps this replica from scheduling; none if nothing does
   */
  public LeaderElection(
      Environment environment,
      Store store,
      Terms terms,
      Supplier<List<String>> troubles,
      Restoration restoration) {
    this.environment = environment;
    this.store = store;
    this.terms = terms;
    this.troubles = troubles;
    this.restoration = restoration;
  }

  @Override
  public String fleet() {
    return terms.fleet();
  }

  /**
   * The epoch under which this replica schedules, if it does. Where the claim was not renewed for
   * long it does not, even if the store cannot be asked: another one has taken over.
   */
  @Override
  public OptionalLong epoch() {
    Term last = term;
    return environment.steadyMs() - last.sentAt() < terms.reliedOnMs()
        ? last.epoch()
        : OptionalLong.empty();
  }

  /**
   * Claims the fleet or renews the claim; to be called more often than the term ends. A replica
   * that cannot do the work gives the fleet up instead; nobody claims it while a restored database
   * is still to be told what it has lost.
   */
  public Uni<Boolean> renew() {
    List<String> unfitFor = troubles.get();
    if (!unfitFor.isEmpty()) {
      return giveUp(unfitFor);
    }
    unfit = false;
    long sentAt = environment.steadyMs();
    return store
        .once(
            "claim",
            tx ->
                tx.fleet()
                    .restoring()
                    .chain(
                        restoring ->
                            restoring
                                ? Uni.createFrom().item(Optional.<Look>empty())
                                : claim(tx).map(Optional::of)))
        .chain(look -> look.map(this::seen).orElseGet(this::readAgain))
        .onFailure()
        .invoke(() -> takeover = takeover.failed())
        .onFailure()
        .recoverWithItem(OptionalLong.empty())
        .map(claimed -> note(new Term(claimed, sentAt)));
  }

  private Uni<Look> claim(Transaction tx) {
    return forgetOthers(tx)
        .chain(
            () ->
                tx.fleet()
                    .claim(
                        terms.fleet(),
                        terms.replica(),
                        terms.termMs(),
                        takeover,
                        environment.steadyMs()))
        .call(look -> takeOver(tx, look.epoch()));
  }

  private Uni<OptionalLong> seen(Look look) {
    restoration.over();
    saw(look);
    return Uni.createFrom().item(look.epoch());
  }

  private Uni<OptionalLong> readAgain() {
    return restoration
        .look()
        .onFailure()
        .invoke(
            error ->
                LOG.log(
                    Level.WARNING,
                    () -> "how far the topics are read again is not known: " + error))
        .replaceWith(OptionalLong.empty());
  }

  private Uni<Boolean> giveUp(List<String> unfitFor) {
    if (!unfit) {
      unfit = true;
      LOG.log(
          Level.WARNING,
          "not scheduling fleet %s for now: %s"
              .formatted(terms.fleet(), String.join("; ", unfitFor)));
    }
    return epoch().isEmpty()
        ? Uni.createFrom().item(false)
        : release().onFailure().recoverWithNull().replaceWith(false);
  }

  /** Only who has just started: those whose scheduler is silent later on may only be slow. */
  private Uni<Void> forgetOthers(Transaction tx) {
    return takeover.started()
        ? tx.fleet().forgetOthers(terms.fleet())
        : Uni.createFrom().voidItem();
  }

  private void saw(Look look) {
    takeover = takeover.saw(look.claim(), environment.steadyMs());
    Optional<String> another =
        Optional.of(look.fleet()).filter(name -> !name.equals(terms.fleet()));
    if (another.isPresent() && !another.equals(otherFleet)) {
      LOG.log(
          Level.ERROR,
          ("this dispatcher schedules nothing: stoker.fleet is %s, and the database belongs to fleet"
                  + " %s. A database has one fleet: give this one a database and topics of its own, or"
                  + " set stoker.fleet to %2$s")
              .formatted(terms.fleet(), another.get()));
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
  private Uni<Void> takeOver(Transaction tx, OptionalLong claimed) {
    return claimed.isEmpty() || claimed.equals(term.epoch())
        ? Uni.createFrom().voidItem()
        : tx.fleet().oweAnnounced(terms.fleet());
  }

  public Uni<Void> release() {
    term = Term.NONE;
    return store
        .once("release", tx -> tx.fleet().release(terms.fleet(), terms.replica()))
        .replaceWithVoid();
  }

  @Override
  public void lost() {
    term = Term.NONE;
  }

  private boolean note(Term next) {
    OptionalLong now = next.epoch();
    if (!now.equals(term.epoch())) {
      LOG.log(
          Level.INFO,
          now.isPresent()
              ? "scheduling fleet %s, epoch %d".formatted(terms.fleet(), now.getAsLong())
              : "not scheduling fleet " + terms.fleet());
    }
    term = next;
    return now.isPresent();
  }
}
