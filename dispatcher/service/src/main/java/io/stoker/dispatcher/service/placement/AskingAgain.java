package io.stoker.dispatcher.service.placement;

import io.stoker.dispatcher.lease.Refusals.AskAgain;
import io.stoker.dispatcher.service.config.Wakes.PlacementWanted;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Has a pass made when a host may be asked again that said for how long it need not be. */
@ApplicationScoped
public class AskingAgain {
  /** A timer that fires a moment too soon would ask nobody. */
  private static final long MARGIN_MS = 5;

  private final Vertx vertx;
  private final Scheduler scheduler;

  AskingAgain(Vertx vertx, Scheduler scheduler) {
    this.vertx = vertx;
    this.scheduler = scheduler;
  }

  void later(@Observes AskAgain again) {
    vertx.setTimer(
        again.inMs() + MARGIN_MS, timer -> scheduler.wake(new PlacementWanted(true, false)));
  }
}
