package io.stoker.dispatcher.service.config;

import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.dependency.FanOutPump;
import io.stoker.dispatcher.coordinator.timer.Retries;
import io.stoker.dispatcher.ledger.Ledger;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;

/**
 * The {@link CommitEvents} as events of this process, for whoever observes them; the coordinators
 * of the core are told at once.
 */
@ApplicationScoped
public class Wakes implements CommitEvents {
  /**
   * There may be something to place.
   *
   * @param room whether hosts may have room that they had not
   * @param line whether there may be jobs in line that were not
   */
  public record PlacementWanted(boolean room, boolean line) {}

  /** A transaction that changed something has committed; for those who count. */
  public record Committed(Ledger ledger) {}

  private final Event<PlacementWanted> placement;
  private final Event<Committed> committed;
  private final Retries retries;
  private final FanOutPump fanOuts;
  private final AgentTeller agents;

  Wakes(
      Event<PlacementWanted> placement,
      Event<Committed> committed,
      Retries retries,
      FanOutPump fanOuts,
      AgentTeller agents) {
    this.placement = placement;
    this.committed = committed;
    this.retries = retries;
    this.fanOuts = fanOuts;
    this.agents = agents;
  }

  @Override
  public void afterIntake(Ledger ledger) {
    after(ledger, false);
  }

  @Override
  public void afterEnds(Ledger ledger) {
    after(ledger, !ledger.attempts().removed().isEmpty());
  }

  @Override
  public void capacityChanged() {
    placement.fire(new PlacementWanted(true, true));
  }

  @Override
  public void timePassed() {
    placement.fire(new PlacementWanted(true, false));
  }

  @Override
  public void fanOutWanted() {
    fanOuts.wake();
  }

  private void after(Ledger ledger, boolean room) {
    committed.fire(new Committed(ledger));
    retries.note(ledger);
    boolean line = !ledger.madeReady().isEmpty();
    if (room || line) {
      placement.fire(new PlacementWanted(room, line));
    }
    if (!ledger.fanOuts().all().isEmpty()) {
      fanOuts.wake();
    }
    agents.tell(ledger);
  }
}
