package io.stoker.dispatcher.placement;

import io.stoker.common.json.Json;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.size.SendLimits;
import java.util.Optional;

/** Tells whether a placement can be sent to a host. */
public record Sendable(SendLimits limits) {
  /** Epoch and host are around a message in its record. */
  private static final int AROUND = 512;

  /**
   * Why it cannot, with figures; nothing if it can.
   *
   * @param about how many bytes it has, within a factor of two: small ones are not written for this
   * @param resources of the host, null if it has told of none
   */
  public Optional<String> obstacle(Place place, long about, String host, HostResources resources) {
    if (about < limits.record() / 4) {
      return Optional.empty();
    }
    int bytes = Json.bytes(place).length;
    if (bytes > limits.message()) {
      return Optional.of(
          "its placement has %d bytes with the results of its dependencies, expected at most %d"
              .formatted(bytes, limits.message()));
    }
    boolean parts = resources != null && Boolean.TRUE.equals(resources.parts());
    if (bytes + AROUND > limits.record() && !parts) {
      return Optional.of(
          ("its placement has %d bytes with the results of its dependencies, expected at most %d:"
                  + " the agent of host %s is of a version that takes no larger ones")
              .formatted(bytes, limits.record() - AROUND, host));
    }
    return Optional.empty();
  }
}
