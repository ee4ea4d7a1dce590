package io.stoker.dispatcher.coordinator.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import java.util.Optional;

/** Does what people ask for of groups. */
public interface Groups {
  /** Answers what is wrong with the message, if anything is; the same again changes nothing. */
  Uni<Optional<String>> apply(ControlMessage.Group asked);
}
