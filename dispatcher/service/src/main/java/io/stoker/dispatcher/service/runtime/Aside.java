package io.stoker.dispatcher.service.runtime;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;

/**
 * Work that would keep an event loop from all else: a worker does it, and what follows goes on
 * where it was asked for, as whoever holds a session must.
 */
public final class Aside {
  private Aside() {}

  public static <T> Uni<T> run(Callable<T> work) {
    return Uni.createFrom()
        .completionStage(
            () -> Vertx.currentContext().executeBlocking(work, false).toCompletionStage());
  }
}
