package io.stoker.dispatcher.service.rest;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The names under which a dispatcher may be called. A page of another site can have its own name
 * lead to a dispatcher's address (DNS rebinding): to the browser the dispatcher is then part of
 * that site, and only the call's {@code Host} tells. So a name that anybody can register is taken
 * only if it was configured. Addresses, names without a dot and names of private networks nobody
 * can register.
 */
final class OwnNames {
  private static final String ANY = "*";

  /** Names that no public registry gives away (RFC 6761, RFC 6762, RFC 8375, ICANN 2024). */
  private static final List<String> PRIVATE =
      List.of(
          ".localhost", ".local", ".internal", ".home.arpa", ".test", ".svc", ".svc.cluster.local");

  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

  private final Set<String> configured;

  /**
   * @param configured further names; one that is {@code *} stands for all
   */
  OwnNames(List<String> configured) {
    this.configured = configured.stream().map(OwnNames::plain).collect(Collectors.toSet());
  }

  /**
   * Whether a dispatcher answers under this name.
   *
   * @param host as {@code Host} says it, with or without a port
   */
  boolean has(String host) {
    String name = plain(withoutPort(host));
    return name.startsWith("[")
        || !name.contains(".")
        || IPV4.matcher(name).matches()
        || PRIVATE.stream().anyMatch(name::endsWith)
        || configured.contains(ANY)
        || configured.contains(name);
  }

  private static String withoutPort(String host) {
    int port = host.startsWith("[") ? host.indexOf("]:") + 1 : host.lastIndexOf(':');
    return port > 0 ? host.substring(0, port) : host;
  }

  /** Case and the root's dot say nothing. */
  private static String plain(String name) {
    String lower = name.strip().toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}
