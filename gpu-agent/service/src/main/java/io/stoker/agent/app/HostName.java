package io.stoker.agent.app;

import io.stoker.common.topic.Topics;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** The name under which a host is known; part of its topic's name. */
final class HostName {
  private HostName() {}

  /**
   * The configured name, else the machine's.
   *
   * @throws IllegalArgumentException if it cannot be part of a topic's name
   */
  static String of(Optional<String> configured) {
    String name = configured.orElseGet(HostName::machine);
    if (!Topics.isHost(name)) {
      throw new IllegalArgumentException(
          "stoker.agent.host is \"" + name + "\"; expected " + Topics.HOST);
    }
    return name;
  }

  private static String machine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "stoker.agent.host is not set, and this machine has no name", e);
    }
  }
}
