package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What is still to be done about a batch while the next one is worked on: begun at once, awaited
 * before the batch is acknowledged, and tried again where it fails.
 */
public final class Background {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Environment environment;
  private final List<Uni<Void>> begun = new ArrayList<>();

  public Background(Environment environment) {
    this.environment = environment;
  }

  /** Begins it. */
  public void begin(Uni<Void> work) {
    Uni<Void> running = tried(environment, work).memoize().indefinitely();
    running.subscribe().with(done -> {});
    begun.add(running);
  }

  /** Done when all is that was begun. */
  public Uni<Void> done() {
    return begun.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.join().all(begun).andFailFast().replaceWithVoid();
  }

  /** Again and again, until it has succeeded. */
  static <T> Uni<T> tried(Environment environment, Uni<T> work) {
    return work.onFailure()
        .invoke(error -> environment.failed("a batch", error))
        .onFailure()
        .retry()
        .withExecutor(environment.timer())
        .withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
        .withJitter(0)
        .indefinitely();
  }
}
