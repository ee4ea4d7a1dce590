package io.stoker.dispatcher.service.config;

import io.stoker.dispatcher.ledger.Ledger;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;

/**
 * Hints, after a commit, that there is work for others: placement for jobs in line or freed
 * capacity, fan-outs, owed statuses, messages for agents. Lost hints cost at most a second: the
 * sweep looks anyway.
 */
@ApplicationScoped
public class Wakes {
  /**
   * There may be something to place.
   *
   * @param room whether hosts may have room that they had not
   * @param line whether there may be jobs in line that were not
   */
  public record PlacementWanted(boolean room, boolean line) {}

  /** There may be fan-outs to work through. */
  public record FanOutWanted() {}

  /** There is something to tell agents. */
  public record TellAgents(Ledger ledger) {}

  /** A transaction that changed something has committed; for those who count. */
  public record Committed(Ledger ledger) {}

  private final Event<PlacementWanted> placement;
  private final Event<FanOutWanted> fanOut;
  private final Event<TellAgents> tell;
  private final Event<Committed> committed;

  Wakes(
      Event<PlacementWanted> placement,
      Event<FanOutWanted> fanOut,
      Event<TellAgents> tell,
      Event<Committed> committed) {
    this.placement = placement;
    this.fanOut = fanOut;
    this.tell = tell;
    this.committed = committed;
  }

  /** After requests came in. */
  public void afterIntake(Ledger ledger) {
    after(ledger, false);
  }

  /** After attempts or requests ended, which frees capacity. */
  public void afterEnds(Ledger ledger) {
    after(ledger, !ledger.attempts().removed().isEmpty());
  }

  /** Hosts came, went or changed. */
  public void capacityChanged() {
    placement.fire(new PlacementWanted(true, true));
  }

  /** Some time has passed in which what was told to hosts may have been lost. */
  public void timePassed() {
    placement.fire(new PlacementWanted(true, false));
  }

  public void fanOutWanted() {
    fanOut.fire(new FanOutWanted());
  }

  private void after(Ledger ledger, boolean room) {
    committed.fire(new Committed(ledger));
    boolean line = !ledger.madeReady().isEmpty();
    if (room || line) {
      placement.fire(new PlacementWanted(room, line));
    }
    if (!ledger.fanOuts().all().isEmpty()) {
      fanOut.fire(new FanOutWanted());
    }
    if (!ledger.told().isEmpty()) {
      tell.fire(new TellAgents(ledger));
    }
  }
}
