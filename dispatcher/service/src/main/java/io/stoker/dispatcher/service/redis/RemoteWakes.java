package io.stoker.dispatcher.service.redis;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.leader.Leadership;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.config.Wakes.PlacementWanted;
import io.vertx.core.Vertx;
import io.vertx.mutiny.redis.client.Redis;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells the replica that schedules that there may be room, or something to place. A hint and
 * nothing more: where Redis does not pass it on, that replica looks within a second by itself.
 */
@ApplicationScoped
public class RemoteWakes {
  private static final String ROOM = "room";
  private static final String LINE = "line";

  private final Leadership leadership;
  private final Wakes wakes;
  private final FleetMemory fleet;
  private final Bulletin bulletin;
  private final Pump teller;
  private final AtomicBoolean room = new AtomicBoolean();

  RemoteWakes(
      FastMemory memory,
      Redis redis,
      Vertx vertx,
      Leadership leadership,
      Wakes wakes,
      FleetMemory fleet,
      Environment environment,
      Topics topics) {
    this.leadership = leadership;
    this.wakes = wakes;
    this.fleet = fleet;
    bulletin =
        new Bulletin(memory, redis, vertx, topics.prefix() + "placement-wanted", this::heard);
    teller =
        new Pump(
            "placement hint",
            environment,
            () -> bulletin.tell(room.getAndSet(false) ? ROOM : LINE).replaceWith(false));
  }

  void start(@Observes StartupEvent event) {
    bulletin.start();
  }

  void stop(@Observes ShutdownEvent event) {
    teller.stop();
    bulletin.stop();
  }

  /** Another one follows a hint on its way: who heard that may have looked before this. */
  void tell(@Observes PlacementWanted hint) {
    if (leadership.epoch().isEmpty()) {
      if (hint.room()) {
        room.set(true);
      }
      teller.wake();
    }
  }

  /** A replica of the build before does not say what there is. */
  private void heard(String what) {
    if (leadership.epoch().isPresent()) {
      if (!what.equals(LINE)) {
        fleet.changedElsewhere();
      }
      wakes.capacityChanged();
    }
  }
}
