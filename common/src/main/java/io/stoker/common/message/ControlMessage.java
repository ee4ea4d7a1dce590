package io.stoker.common.message;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** What people tell the dispatcher on the control topic; each with an id of its own. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ControlMessage.Cancel.class, name = "cancel"),
  @JsonSubTypes.Type(value = ControlMessage.Cordon.class, name = "cordon"),
  @JsonSubTypes.Type(value = ControlMessage.Uncordon.class, name = "uncordon")
})
public sealed interface ControlMessage {
  /** The message's own id; the same one twice is one message. */
  String id();

  /**
   * Ends a request. A request that is not known yet is ended when it arrives.
   *
   * @param request the request's id
   * @param reason for its status, if any
   */
  record Cancel(String id, String request, String reason) implements ControlMessage {}

  /** Keeps new placements off a host; what runs goes on. */
  record Cordon(String id, String host, String reason) implements ControlMessage {}

  /** Lets a host take placements again. */
  record Uncordon(String id, String host) implements ControlMessage {}
}
