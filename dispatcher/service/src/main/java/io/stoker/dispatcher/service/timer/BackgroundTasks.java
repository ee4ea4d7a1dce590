package io.stoker.dispatcher.service.timer;

import java.util.List;

/** Stops what is done beside the records that come in. */
public final class BackgroundTasks {
  private final List<Runnable> stops;

  /**
   * @param stops in their order: whoever causes work before those who do it
   */
  public BackgroundTasks(List<Runnable> stops) {
    this.stops = List.copyOf(stops);
  }

  void stop() {
    stops.forEach(Runnable::run);
  }
}
