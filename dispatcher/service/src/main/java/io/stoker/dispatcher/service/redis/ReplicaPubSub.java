package io.stoker.dispatcher.service.redis;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Fault;
import io.vertx.core.Vertx;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.mutiny.redis.client.RedisConnection;
import io.vertx.mutiny.redis.client.Request;
import io.vertx.mutiny.redis.client.Response;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jboss.logging.Logger;

/**
 * Publishes hints to the other replicas by Redis, without any promise: a replica that is not there
 * does not hear them, and where Redis is away nobody does.
 */
final class ReplicaPubSub {
  private static final Logger LOG = Logger.getLogger(ReplicaPubSub.class);
  private static final Duration PATIENCE = Duration.ofMillis(250);
  private static final long RECONNECT_MS = 1000;
  private static final int OF_A_MESSAGE = 3;

  private final FastMemory memory;
  private final Redis redis;
  private final Vertx vertx;
  private final String channel;
  private final Consumer<String> reader;
  private volatile boolean stopped;

  /** Whether it was said that the two do not believe each other. */
  private volatile boolean toldOfTls;

  private volatile RedisConnection connection;

  /**
   * @param reader is given all that is told, what this replica tells too
   */
  ReplicaPubSub(
      FastMemory memory, Redis redis, Vertx vertx, String channel, Consumer<String> reader) {
    this.memory = memory;
    this.redis = redis;
    this.vertx = vertx;
    this.channel = channel;
    this.reader = reader;
  }

  void start() {
    subscribe();
  }

  void stop() {
    stopped = true;
    RedisConnection held = connection;
    if (held != null) {
      held.closeAndForget();
    }
  }

  /** Tells it; never fails. */
  Uni<Void> tell(String text) {
    return memory
        .ask(Request.cmd(Command.PUBLISH).arg(channel).arg(text), PATIENCE)
        .replaceWithVoid();
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
        .with(done -> toldOfTls = false, this::failed);
  }

  /** Redis may be away; that it is not believed does not pass by itself, so it is said once. */
  private void failed(Throwable error) {
    if (!toldOfTls && Fault.cause(error, SSLException.class).isPresent()) {
      toldOfTls = true;
      LOG.warnf(
          "Redis is done without: stoker.redis.url asks for TLS, which fails; see"
              + " stoker.redis.tls.ca (%s)",
          Fault.sentence(error));
    }
    subscribeLater();
  }

  private void listen(RedisConnection held) {
    connection = held;
    AtomicBoolean over = new AtomicBoolean();
    long since = System.nanoTime();
    Runnable ended =
        () -> {
          if (over.compareAndSet(false, true)) {
            subscribeAgain(System.nanoTime() - since);
          }
        };
    held.handler(this::read);
    held.exceptionHandler(error -> ended.run());
    held.endHandler(ended);
  }

  /** A message is its kind, its channel and its text; what confirms the subscription is no text. */
  private void read(Response message) {
    if (message != null
        && message.size() == OF_A_MESSAGE
        && "message".equals(message.get(0).toString())) {
      reader.accept(message.get(2).toString());
    }
  }

  /** At once where it stood for a while: it ends, too, when nothing was told for long. */
  private void subscribeAgain(long stoodNanos) {
    if (stoodNanos > TimeUnit.MILLISECONDS.toNanos(RECONNECT_MS)) {
      subscribe();
    } else {
      subscribeLater();
    }
  }

  private void subscribeLater() {
    if (!stopped) {
      vertx.setTimer(RECONNECT_MS, id -> subscribe());
    }
  }
}
