package io.stoker.dispatcher.service.redis;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Fault;
import io.vertx.core.Vertx;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.mutiny.redis.client.RedisConnection;
import io.vertx.mutiny.redis.client.Request;
import io.vertx.mutiny.redis.client.Response;
import io.vertx.redis.client.ResponseType;
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

  /** How Redis begins its answer to what an ACL does not allow. */
  private static final String NO_RIGHT = "NOPERM";

  private final FastMemory memory;
  private final Redis redis;
  private final Vertx vertx;
  private final String channel;
  private final Consumer<String> reader;
  private volatile boolean stopped;

  /** Whether it was said why there is no subscription. */
  private volatile boolean told;

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
        .subscribe()
        .with(
            this::listen,
            error -> {
              tellOnce(error);
              subscribeLater();
            });
  }

  /**
   * Redis may be away. That it is not believed, or does not let this user subscribe, does not pass
   * by itself, so it is said once.
   */
  private void tellOnce(Throwable error) {
    String why = Fault.sentence(error);
    boolean tls = Fault.cause(error, SSLException.class).isPresent();
    if (told || !tls && !why.contains(NO_RIGHT)) {
      return;
    }
    told = true;
    if (tls) {
      LOG.warnf(
          "Redis is done without: stoker.redis.url asks for TLS, which fails; see"
              + " stoker.redis.tls.ca (%s)",
          why);
    } else {
      LOG.warnf(
          "Redis does not let its user subscribe: replicas are told nothing by it until the user"
              + " has the right &%s (%s)",
          channel, why);
    }
  }

  private void listen(RedisConnection held) {
    connection = held;
    AtomicBoolean over = new AtomicBoolean();
    long since = System.nanoTime();
    Runnable ended =
        () -> {
          if (over.compareAndSet(false, true)) {
            // Else one that is refused stays open, and the client makes only a few.
            held.closeAndForget();
            subscribeAgain(System.nanoTime() - since);
          }
        };
    held.handler(
        message -> {
          // An answer to a subscription comes as what is published does.
          if (message != null && message.type() == ResponseType.ERROR) {
            tellOnce(new IllegalStateException(message.toString()));
            ended.run();
          } else {
            read(message);
          }
        });
    held.exceptionHandler(error -> ended.run());
    held.endHandler(ended);
    held.send(Request.cmd(Command.SUBSCRIBE).arg(channel))
        .subscribe()
        .with(
            sent -> {},
            error -> {
              tellOnce(error);
              ended.run();
            });
  }

  /** A message is its kind, its channel and its text; what confirms the subscription is no text. */
  private void read(Response message) {
    if (message == null || message.size() != OF_A_MESSAGE) {
      return;
    }
    String kind = message.get(0).toString();
    if ("subscribe".equals(kind)) {
      told = false;
    } else if ("message".equals(kind)) {
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
