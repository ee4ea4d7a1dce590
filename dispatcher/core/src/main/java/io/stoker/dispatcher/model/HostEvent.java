package io.stoker.dispatcher.model;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An event in the history of a host, for people: nothing is decided by it.
 *
 * @param detail why it was, or of which GPU; null if nothing more is known
 */
public record HostEvent(What what, String detail) {
  /** So many of each host are kept, the newest. */
  public static final int KEPT = 100;

  private static final Set<String> UNWELL = Set.of("UNHEALTHY", "QUARANTINED");

  /** Of what kind it is. */
  public enum What {
    /** An agent was granted an epoch. */
    STARTED,
    /** Its lease ran out, or it was declared dead. */
    LOST,
    /** Its agent said goodbye. */
    STOPPED,
    CORDONED,
    UNCORDONED,
    /** It is being emptied, and is cordoned. */
    DRAINING,
    /** Messages in its name were refused for their key, and nothing else was heard. */
    HELD,
    /** It is heard under a valid key again, or is waited for no more. */
    RELEASED,
    GPU_UNHEALTHY,
    GPU_HEALTHY
  }

  /**
   * What a change of its row says of a host, in the order in which it is told.
   *
   * @param before nothing of a host that is new
   */
  public static List<HostEvent> between(Optional<HostRow> before, HostRow now) {
    List<HostEvent> events = new ArrayList<>();
    HostRow old = before.orElse(null);
    state(old, now).ifPresent(events::add);
    room(old, now).ifPresent(events::add);
    key(old, now).ifPresent(events::add);
    if (old != null) {
      gpus(old.resources(), now.resources()).forEach(events::add);
    }
    return events;
  }

  private static Optional<HostEvent> state(HostRow old, HostRow now) {
    if (now.state() == HostRow.State.UP) {
      boolean started = old == null || old.epoch() < now.epoch();
      return started
          ? Optional.of(
              new HostEvent(
                  What.STARTED,
                  "agent %s, start %d"
                      .formatted(
                          Objects.requireNonNullElse(now.grant().version(), "?"), now.epoch())))
          : Optional.empty();
    }
    if (old != null && old.state() == now.state()) {
      return Optional.empty();
    }
    return Optional.of(
        now.state() == HostRow.State.LOST
            ? new HostEvent(What.LOST, now.reason())
            : new HostEvent(What.STOPPED, null));
  }

  private static Optional<HostEvent> room(HostRow old, HostRow now) {
    if (now.drain() != null && (old == null || old.drain() == null)) {
      return Optional.of(new HostEvent(What.DRAINING, now.reason()));
    }
    boolean before = old != null && old.cordoned();
    if (now.cordoned() == before) {
      return Optional.empty();
    }
    return Optional.of(
        new HostEvent(now.cordoned() ? What.CORDONED : What.UNCORDONED, now.reason()));
  }

  private static Optional<HostEvent> key(HostRow old, HostRow now) {
    String before = old == null ? null : old.key().held();
    String held = now.key().held();
    if ((before == null) == (held == null)) {
      return Optional.empty();
    }
    return Optional.of(
        held == null ? new HostEvent(What.RELEASED, null) : new HostEvent(What.HELD, held));
  }

  /** Of those that it had before and has now. */
  private static Stream<HostEvent> gpus(HostResources before, HostResources now) {
    if (before == null || now == null || before.devices().equals(now.devices())) {
      return Stream.empty();
    }
    Map<String, Boolean> unwell =
        before.devices().stream()
            .collect(Collectors.toMap(DeviceInfo::id, HostEvent::unwell, Boolean::logicalOr));
    return now.devices().stream()
        .filter(gpu -> unwell.getOrDefault(gpu.id(), unwell(gpu)) != unwell(gpu))
        .map(
            gpu ->
                unwell(gpu)
                    ? new HostEvent(What.GPU_UNHEALTHY, gpu.id() + ": " + why(gpu))
                    : new HostEvent(What.GPU_HEALTHY, gpu.id()));
  }

  private static boolean unwell(DeviceInfo gpu) {
    return gpu.state() != null && UNWELL.contains(gpu.state());
  }

  private static String why(DeviceInfo gpu) {
    return gpu.reason() == null ? gpu.state() : gpu.reason();
  }
}
