package io.stoker.dispatcher.service.page;

import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The part of hosts' state that views show: a heartbeat by itself is no change. */
final class HostsShown {
  /** Names that are kept; who may write heartbeats may make up any. */
  private static final int MOST = 10_000;

  private final Predicate<String> alive;
  private final Map<String, Map<Class<?>, Object>> said = atMost();
  private final Map<String, Boolean> stood = atMost();

  /**
   * @param alive whether a host was heard of within its lease
   */
  HostsShown(Predicate<String> alive) {
    this.alive = alive;
  }

  private static <V> Map<String, V> atMost() {
    return new LinkedHashMap<>() {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
        return size() > MOST;
      }
    };
  }

  /** Whether a host says something else than before, of what views show. */
  boolean differs(String host, HostMessage message) {
    Object shown = shown(message);
    stood.computeIfAbsent(host, alive::test);
    Object before =
        said.computeIfAbsent(host, one -> new LinkedHashMap<>()).put(message.getClass(), shown);
    return !shown.equals(before);
  }

  /** Hosts whose silence has become too long since it was last asked for, or has ended. */
  List<String> turned() {
    List<String> turned = new ArrayList<>();
    stood.replaceAll(
        (host, before) -> {
          boolean now = alive.test(host);
          if (now != before) {
            turned.add(host);
          }
          return now;
        });
    return turned;
  }

  private static Object shown(HostMessage message) {
    return switch (message) {
      case Heartbeat beat ->
          Arrays.asList(
              beat.epoch(),
              all(beat.held()).stream().map(HostsShown::shown).toList(),
              beat.reserved(),
              all(beat.telemetry()).stream().map(HostsShown::shown).toList(),
              beat.pools(),
              beat.runners());
      case Inventory inventory -> Arrays.asList(inventory.epoch(), inventory.resources());
      case Hello hello -> Arrays.asList(hello.nonce(), hello.answer(), hello.resources());
      case Goodbye goodbye -> goodbye.epoch();
    };
  }

  private static <T> List<T> all(List<T> list) {
    return list == null ? List.of() : list;
  }

  /** Its memory is shown by its job's view alone. */
  private static Object shown(HeldAttempt held) {
    return Arrays.asList(held.job(), held.attempt(), held.running(), held.retiring());
  }

  /** As people read it. */
  private static Object shown(DeviceTelemetry device) {
    Long memory = device.memoryUsed();
    return Arrays.asList(
        device.id(), memory == null ? null : Texts.size(memory), device.gpuUtilization());
  }
}
