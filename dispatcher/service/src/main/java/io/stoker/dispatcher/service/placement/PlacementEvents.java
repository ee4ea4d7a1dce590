package io.stoker.dispatcher.service.placement;

import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.LineReader;
import io.stoker.dispatcher.coordinator.placement.Scheduler;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.host.RecentRejections.AskAgain;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.service.commit.CdiCommitEvents.Committed;
import io.stoker.dispatcher.service.commit.CdiCommitEvents.PlacementWanted;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Tells placement what happened in this process. */
@ApplicationScoped
public class PlacementEvents {
  private final Scheduler scheduler;
  private final UsageBook usage;
  private final MemoryBook memory;
  private final SuspectBook suspects;
  private final FleetMemory fleet;
  private final LineReader line;

  PlacementEvents(
      Scheduler scheduler,
      UsageBook usage,
      MemoryBook memory,
      SuspectBook suspects,
      FleetMemory fleet,
      LineReader line) {
    this.scheduler = scheduler;
    this.usage = usage;
    this.memory = memory;
    this.suspects = suspects;
    this.fleet = fleet;
    this.line = line;
  }

  void wake(@Observes PlacementWanted hint) {
    scheduler.wake(hint.room(), hint.line());
  }

  void note(@Observes Committed done) {
    usage.note(done.unit());
    memory.note(done.unit());
    suspects.note(done.unit());
    fleet.note(done.unit());
    line.note(done.unit());
  }

  void later(@Observes AskAgain again) {
    scheduler.wakeForRoom(again.inMs());
  }
}
