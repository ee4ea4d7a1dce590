package io.stoker.dispatcher.coordinator.control;

import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.coordinator.record.Received;
import java.util.Optional;

/** Hears of each control message once it is over; of one that comes again, again. */
public interface ControlAudit {
  /** Hears nothing. */
  ControlAudit NONE = (record, message, flaw) -> {};

  /**
   * A message is done, or refused.
   *
   * @param message empty if the record holds none
   * @param flaw why it was refused; empty if it is done
   */
  void over(Received record, Optional<ControlMessage> message, Optional<String> flaw);
}
