package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;

/** Control messages that had their effect. */
public interface Controls {
  /** Notes that a message has its effect in this transaction. False if it has had it before. */
  Uni<Boolean> first(String message);
}
