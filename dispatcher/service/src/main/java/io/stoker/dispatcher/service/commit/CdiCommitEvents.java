package io.stoker.dispatcher.service.commit;

import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.dependency.FanOutTask;
import io.stoker.dispatcher.coordinator.timer.Retries;
import io.stoker.dispatcher.model.UnitOfWork;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;

/**
 * The {@link CommitEvents} as events of this process, for whoever observes them; the coordinators
 * of the core are told at once.
 */
@ApplicationScoped
public class CdiCommitEvents implements CommitEvents {
  /**
   * There may be something to place.
   *
   * @param room whether hosts may have room that they had not
   * @param line whether there may be jobs in line that were not
   */
  public record PlacementWanted(boolean room, boolean line) {}

  /** A transaction that changed something has committed; for those who count. */
  public record Committed(UnitOfWork unit) {}

  private final Event<PlacementWanted> placement;
  private final Event<Committed> committed;
  private final Retries retries;
  private final FanOutTask fanOuts;
  private final AgentSender agents;

  CdiCommitEvents(
      Event<PlacementWanted> placement,
      Event<Committed> committed,
      Retries retries,
      FanOutTask fanOuts,
      AgentSender agents) {
    this.placement = placement;
    this.committed = committed;
    this.retries = retries;
    this.fanOuts = fanOuts;
    this.agents = agents;
  }

  @Override
  public void afterIntake(UnitOfWork unit) {
    after(unit, false);
  }

  @Override
  public void afterEnds(UnitOfWork unit) {
    after(unit, !unit.attempts().removed().isEmpty());
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

  private void after(UnitOfWork unit, boolean room) {
    committed.fire(new Committed(unit));
    retries.note(unit);
    boolean line = !unit.madeReady().isEmpty();
    if (room || line) {
      placement.fire(new PlacementWanted(room, line));
    }
    if (!unit.fanOuts().all().isEmpty()) {
      fanOuts.wake();
    }
    agents.tell(unit);
  }
}
