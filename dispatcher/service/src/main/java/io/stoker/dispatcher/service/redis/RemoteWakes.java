package io.stoker.dispatcher.service.redis;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.leader.Leadership;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.config.Wakes.PlacementWanted;
import io.vertx.core.Vertx;
import io.vertx.mutiny.redis.client.Redis;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells the replica that schedules that there is something to place. A hint and nothing more: where
 * Redis does not pass it on, that replica looks within a second by itself.
 */
@ApplicationScoped
public class RemoteWakes {
  private final Leadership leadership;
  private final Wakes wakes;
  private final Bulletin bulletin;
  private final AtomicBoolean telling = new AtomicBoolean();

  RemoteWakes(
      FastMemory memory,
      Redis redis,
      Vertx vertx,
      Leadership leadership,
      Wakes wakes,
      Topics topics) {
    this.leadership = leadership;
    this.wakes = wakes;
    bulletin =
        new Bulletin(memory, redis, vertx, topics.prefix() + "placement-wanted", text -> heard());
  }

  void start(@Observes StartupEvent event) {
    bulletin.start();
  }

  void stop(@Observes ShutdownEvent event) {
    bulletin.stop();
  }

  /** One hint on its way is enough: whoever hears it looks at everything. */
  void tell(@Observes PlacementWanted hint) {
    if (leadership.epoch().isPresent() || !telling.compareAndSet(false, true)) {
      return;
    }
    bulletin.tell("").onTermination().invoke(() -> telling.set(false)).subscribe().with(told -> {});
  }

  private void heard() {
    if (leadership.epoch().isPresent()) {
      wakes.capacityChanged();
    }
  }
}
