package io.stoker.dispatcher.service.rest;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Tells calls that a page of another site has a browser send. Browsers name the page in {@code
 * Origin}, and how near it is in {@code Sec-Fetch-Site} (W3C Fetch Metadata); others have no reason
 * to. Following a link from elsewhere to something that is only read is no such call.
 */
final class OwnPages {
  /** By the user's own doing, or by a page of ours. */
  private static final Set<String> NEAR = Set.of("same-origin", "none");

  private final Set<String> friends;

  /**
   * @param friends origins of other sites whose pages may call, as CORS is configured
   */
  OwnPages(List<String> friends) {
    this.friends = Set.copyOf(friends);
  }

  /** The header that tells that a call comes from a foreign page. */
  record Foreign(String header, String value) {}

  /**
   * What tells that a foreign page sent the call.
   *
   * @param reading whether the call changes nothing
   * @param host as {@code Host} says it; null if nothing does
   * @param headers by name; null where there is none
   */
  Optional<Foreign> refusal(boolean reading, String host, UnaryOperator<String> headers) {
    String origin = headers.apply("Origin");
    if (origin != null && friends.contains(origin)) {
      return Optional.empty();
    }
    if (origin != null && !isOwn(origin, host)) {
      return Optional.of(new Foreign("Origin", origin));
    }
    String site = headers.apply("Sec-Fetch-Site");
    boolean link = reading && "navigate".equals(headers.apply("Sec-Fetch-Mode"));
    return site == null || NEAR.contains(site) || link
        ? Optional.empty()
        : Optional.of(new Foreign("Sec-Fetch-Site", site));
  }

  private static boolean isOwn(String origin, String host) {
    try {
      return host != null && host.equalsIgnoreCase(URI.create(origin).getRawAuthority());
    } catch (IllegalArgumentException noUri) {
      return false;
    }
  }
}
