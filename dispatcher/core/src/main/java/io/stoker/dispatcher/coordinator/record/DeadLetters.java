package io.stoker.dispatcher.coordinator.record;

import io.smallrye.mutiny.Uni;
import java.util.OptionalInt;

/** Sends records that cannot be used to the dead letter topic, with the reason. */
public interface DeadLetters {
  /**
   * Keeps a part of a record; done when the broker has it.
   *
   * @param index of the part, where the record holds several
   * @param value of the part, as received; may be null
   */
  Uni<Void> send(Received record, OptionalInt index, byte[] value, String reason);

  /** Keeps a record as a whole. */
  default Uni<Void> send(Received record, String reason) {
    return send(record, OptionalInt.empty(), record.value(), reason);
  }
}
