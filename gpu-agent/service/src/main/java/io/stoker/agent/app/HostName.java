package io.stoker.agent.app;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/** The name under which a host is known; part of its topic's name. */
final class HostName {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

  private HostName() {}

  /**
   * The configured name, else the machine's.
   *
   * @throws IllegalArgumentException if it cannot be part of a topic's name
   */
  static String of(Optional<String> configured) {
    String name = configured.orElseGet(HostName::machine);
    if (!FORM.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "stoker.agent.host is \"" + name + "\"; expected 1-128 of A-Z a-z 0-9 . _ -");
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
