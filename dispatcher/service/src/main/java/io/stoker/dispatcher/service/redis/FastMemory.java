package io.stoker.dispatcher.service.redis;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.mutiny.redis.client.Request;
import io.vertx.mutiny.redis.client.Response;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Redis, as far as it may cost anything: every call ends in time and none fails. Where Redis is
 * slow or away the answer is nothing, and after a few of those it is not even asked for a while.
 */
@ApplicationScoped
public class FastMemory {
  private static final Logger LOG = Logger.getLogger(FastMemory.class);
  private static final Duration PING = Duration.ofMillis(250);
  private static final int FAILURES_TO_OPEN = 3;
  private static final long OPEN_MS = 1000;
  private static final long NANOS_PER_MS = 1_000_000;

  private final Redis redis;
  private final Breaker breaker =
      new Breaker(FAILURES_TO_OPEN, OPEN_MS, () -> System.nanoTime() / NANOS_PER_MS);

  FastMemory(Redis redis) {
    this.redis = redis;
  }

  /** How a call went. */
  public enum Outcome {
    ANSWERED,
    FAILED,
    NOT_ASKED
  }

  /** What came of a call; a null of Redis is an answer without a value. */
  public record Answer<T>(Outcome outcome, Optional<T> value) {}

  Uni<Answer<Response>> ask(Request request, Duration atMost) {
    return guarded(() -> redis.send(request), atMost);
  }

  /** Sends all in one go, in order. */
  Uni<Answer<List<Response>>> ask(List<Request> requests, Duration atMost) {
    return guarded(() -> redis.batch(requests), atMost);
  }

  /** As {@link #ask(List, Duration)}, for scripts that Redis may have forgotten. */
  Uni<Answer<List<Response>>> eval(List<Request> requests, Request load, Duration atMost) {
    return guarded(
        () ->
            redis
                .batch(requests)
                .onFailure(VersionGuard::unknown)
                .recoverWithUni(() -> redis.send(load).chain(() -> redis.batch(requests))),
        atMost);
  }

  /** Whether it is asked no more, since it did not answer several times in a row, nor does now. */
  public Uni<Boolean> away() {
    return ask(Request.cmd(Command.PING), PING)
        .map(answer -> answer.outcome() != Outcome.ANSWERED && breaker.open());
  }

  private <T> Uni<Answer<T>> guarded(Supplier<Uni<T>> call, Duration atMost) {
    if (!breaker.allows()) {
      return Uni.createFrom().item(new Answer<>(Outcome.NOT_ASKED, Optional.empty()));
    }
    return Uni.createFrom()
        .<T>deferred(() -> call.get())
        .ifNoItem()
        .after(atMost)
        .fail()
        .invoke(breaker::succeeded)
        .map(value -> new Answer<>(Outcome.ANSWERED, Optional.ofNullable(value)))
        .onFailure()
        .recoverWithItem(
            error -> {
              breaker.failed();
              LOG.debugf("Redis: %s", error);
              return new Answer<>(Outcome.FAILED, Optional.empty());
            });
  }
}
