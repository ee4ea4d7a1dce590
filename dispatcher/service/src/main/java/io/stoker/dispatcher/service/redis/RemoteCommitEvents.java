package io.stoker.dispatcher.service.redis;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.dispatcher.coordinator.leader.LeaderElection;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.service.commit.CdiCommitEvents;
import io.stoker.dispatcher.service.commit.CdiCommitEvents.PlacementWanted;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells the replica that schedules that there may be room, or something to place. A hint and
 * nothing more: where Redis does not pass it on, that replica looks within a second by itself.
 */
@ApplicationScoped
public class RemoteCommitEvents {
  private static final String ROOM = "room";
  private static final String LINE = "line";

  private final LeaderElection election;
  private final CdiCommitEvents commits;
  private final FleetMemory fleet;
  private final ReplicaPubSub pubSub;
  private final CoalescingTask sender;
  private final AtomicBoolean room = new AtomicBoolean();

  RemoteCommitEvents(
      ReplicaChannels channels,
      LeaderElection election,
      CdiCommitEvents commits,
      FleetMemory fleet,
      Environment environment) {
    this.election = election;
    this.commits = commits;
    this.fleet = fleet;
    pubSub = channels.open("placement-wanted", this::heard);
    sender =
        new CoalescingTask(
            "placement hint",
            environment,
            () -> pubSub.tell(room.getAndSet(false) ? ROOM : LINE).replaceWith(false));
  }

  void start(@Observes StartupEvent event) {
    pubSub.start();
  }

  void stop(@Observes ShutdownEvent event) {
    sender.stop();
    pubSub.stop();
  }

  /** Another one follows a hint on its way: who heard that may have looked before this. */
  void tell(@Observes PlacementWanted hint) {
    if (election.epoch().isEmpty()) {
      if (hint.room()) {
        room.set(true);
      }
      sender.wake();
    }
  }

  /** A replica of the build before does not say what there is. */
  private void heard(String what) {
    if (election.epoch().isPresent()) {
      if (!what.equals(LINE)) {
        fleet.changedElsewhere();
      }
      commits.capacityChanged();
    }
  }
}
