package io.stoker.dispatcher.status;

import java.util.List;

/** Hears of statuses once the broker has them; must not block, and must not fail. */
public interface StatusListener {
  void published(List<StatusRecord> statuses);

  /** Hears of requests that are no more, once the broker has their tombstones. */
  default void dropped(List<String> requests) {}
}
