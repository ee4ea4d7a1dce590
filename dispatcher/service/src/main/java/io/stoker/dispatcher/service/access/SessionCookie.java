package io.stoker.dispatcher.service.access;

import io.stoker.common.security.AccessTokens;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;

/**
 * The cookie that a browser keeps for the page: the token of who uses it, or a random text where
 * nobody is asked for one. No script reads it, and no browser sends it along with what a page of
 * another site asks for.
 */
public final class SessionCookie {
  private static final String NAME = "stoker-session";

  /** What changes something by this cookie is a form of the page, which carries {@link #key}. */
  private static final String FORMS = "/page/";

  private SessionCookie() {}

  /** What everybody may have: a cookie that is wrong is no guess of a token there. */
  private static final String ASSETS = "/assets/";

  /** What it says, where it counts: of what reads, and of the page's forms. */
  public static Optional<String> of(HttpServerRequest call) {
    boolean reads = call.method() == HttpMethod.GET || call.method() == HttpMethod.HEAD;
    boolean counts = reads ? !call.path().startsWith(ASSETS) : call.path().startsWith(FORMS);
    return counts ? sent(call) : Optional.empty();
  }

  /** What it says. */
  public static Optional<String> sent(HttpServerRequest call) {
    return Optional.ofNullable(call.getCookie(NAME)).map(Cookie::getValue);
  }

  /** Has the browser keep this until it is closed. */
  public static void set(HttpServerRequest call, String value) {
    call.response().addCookie(cookie(call, value));
  }

  /** Has the browser forget it. */
  public static void forget(HttpServerRequest call) {
    HttpServerResponse response = call.response();
    response.addCookie(cookie(call, "").setMaxAge(0));
  }

  private static Cookie cookie(HttpServerRequest call, String value) {
    return StrictCookie.of(call, NAME, value);
  }

  /** What each form of a session carries: who cannot read its pages cannot make it up. */
  public static String key(String session) {
    return AccessTokens.hash("form of " + session);
  }
}
