package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import java.util.function.Supplier;

/** One piece of work at a time, as the dispatcher's pump: woken while it runs, it runs again. */
final class SimPump {
  private final World world;
  private final Life life;
  private final Supplier<Uni<Boolean>> work;
  private boolean running;
  private boolean wanted;

  SimPump(World world, Life life, Supplier<Uni<Boolean>> work) {
    this.world = world;
    this.life = life;
    this.work = work;
  }

  void wake() {
    if (running) {
      wanted = true;
    } else {
      running = true;
      world.timeline.after(0, life, this::run);
    }
  }

  private void run() {
    wanted = false;
    work.get()
        .subscribe()
        .with(
            this::next,
            error -> {
              if (!(error instanceof SimDatabase.Unavailable)) {
                world.broken(error);
              }
              next(false);
            });
  }

  private void next(boolean more) {
    running = false;
    if (more || wanted) {
      wake();
    }
  }
}
