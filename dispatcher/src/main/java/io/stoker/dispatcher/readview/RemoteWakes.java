package io.stoker.dispatcher.readview;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.config.Wakes.PlacementWanted;
import io.stoker.dispatcher.placement.Leadership;
import io.vertx.core.Vertx;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.mutiny.redis.client.RedisConnection;
import io.vertx.mutiny.redis.client.Request;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Tells the replica that schedules that there is something to place. A hint and nothing more: where
 * Redis does not pass it on, that replica looks within a second by itself.
 */
@ApplicationScoped
public class RemoteWakes {
  private static final Logger LOG = Logger.getLogger(RemoteWakes.class);
  private static final Duration PATIENCE = Duration.ofMillis(250);
  private static final long RECONNECT_MS = 1000;

  private final FastMemory memory;
  private final Redis redis;
  private final Vertx vertx;
  private final Leadership leadership;
  private final Wakes wakes;
  private final String channel;
  private final AtomicBoolean telling = new AtomicBoolean();
  private volatile boolean stopped;
  private volatile RedisConnection connection;

  RemoteWakes(
      FastMemory memory,
      Redis redis,
      Vertx vertx,
      Leadership leadership,
      Wakes wakes,
      Topics topics) {
    this.memory = memory;
    this.redis = redis;
    this.vertx = vertx;
    this.leadership = leadership;
    this.wakes = wakes;
    channel = topics.prefix() + "placement-wanted";
  }

  void start(@Observes StartupEvent event) {
    subscribe();
  }

  void stop(@Observes ShutdownEvent event) {
    stopped = true;
    RedisConnection held = connection;
    if (held != null) {
      held.closeAndForget();
    }
  }

  /** One hint on its way is enough: whoever hears it looks at everything. */
  void tell(@Observes PlacementWanted hint) {
    if (leadership.epoch().isPresent() || !telling.compareAndSet(false, true)) {
      return;
    }
    memory
        .ask(Request.cmd(Command.PUBLISH).arg(channel).arg(""), PATIENCE)
        .onTermination()
        .invoke(() -> telling.set(false))
        .subscribe()
        .with(answer -> {}, error -> LOG.debugf("no hint: %s", error));
  }

  private void heard() {
    if (leadership.epoch().isPresent()) {
      wakes.capacityChanged();
    }
  }

  private void subscribe() {
    if (stopped) {
      return;
    }
    redis
        .connect()
        .invoke(this::listen)
        .chain(held -> held.send(Request.cmd(Command.SUBSCRIBE).arg(channel)))
        .subscribe()
        .with(done -> {}, error -> subscribeLater());
  }

  private void listen(RedisConnection held) {
    connection = held;
    AtomicBoolean over = new AtomicBoolean();
    Runnable ended =
        () -> {
          if (over.compareAndSet(false, true)) {
            subscribeLater();
          }
        };
    held.handler(message -> heard());
    held.exceptionHandler(error -> ended.run());
    held.endHandler(ended);
  }

  private void subscribeLater() {
    if (!stopped) {
      vertx.setTimer(RECONNECT_MS, id -> subscribe());
    }
  }
}
