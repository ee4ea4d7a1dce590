package io.stoker.dispatcher.service.access;

import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpServerRequest;

/**
 * Makes the cookies of the page: no script reads them, and no browser sends them along with what a
 * page of another site asks for.
 */
public final class StrictCookie {
  private StrictCookie() {}

  /** One that the browser keeps until it is closed, unless it is told how long. */
  public static Cookie of(HttpServerRequest call, String name, String value) {
    return Cookie.cookie(name, value)
        .setHttpOnly(true)
        .setSameSite(CookieSameSite.STRICT)
        .setSecure(call.isSSL())
        .setPath("/");
  }
}
