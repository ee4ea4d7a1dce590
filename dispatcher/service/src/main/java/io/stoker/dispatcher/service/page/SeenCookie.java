package io.stoker.dispatcher.service.page;

import io.stoker.dispatcher.service.access.StrictCookie;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** Until when somebody has seen what failed: their browser keeps it, and nobody else. */
final class SeenCookie {
  private static final String NAME = "stoker-seen";
  private static final Duration KEPT = Duration.ofDays(365);

  private SeenCookie() {}

  /** What it says; nothing if it says nothing, or no moment. */
  static Optional<Instant> of(HttpServerRequest call) {
    try {
      return Optional.ofNullable(call.getCookie(NAME)).map(Cookie::getValue).map(Instant::parse);
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** Has the browser keep this. */
  static void set(HttpServerRequest call, Instant until) {
    call.response()
        .addCookie(StrictCookie.of(call, NAME, until.toString()).setMaxAge(KEPT.toSeconds()));
  }
}
