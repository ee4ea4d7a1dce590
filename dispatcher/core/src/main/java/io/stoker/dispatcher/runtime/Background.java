package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Runs the rest of a batch's work while the next batch is worked on: it is begun at once, awaited
 * before the batch is acknowledged, and tried again where it fails.
 */
public final class Background {
  private final Environment environment;
  private final List<CompletableFuture<Void>> begun = new ArrayList<>();

  public Background(Environment environment) {
    this.environment = environment;
  }

  /** Begins it; once it is done nothing is held of it. */
  public void begin(Uni<Void> work) {
    CompletableFuture<Void> running = new CompletableFuture<>();
    tried(environment, work).subscribe().with(running::complete);
    begun.add(running);
  }

  /** Done when all is that was begun. */
  public Uni<Void> done() {
    return InOrder.together(
        begun.stream().map(running -> Uni.createFrom().completionStage(running)).toList());
  }

  /** Again and again, until it has succeeded. */
  static <T> Uni<T> tried(Environment environment, Uni<T> work) {
    return environment.again(
        work.onFailure().invoke(error -> environment.failed("a batch", error)), error -> true);
  }
}
