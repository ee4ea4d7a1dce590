package io.stoker.dispatcher.service.page;

import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.access.SessionCookie;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.Rights;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * Says who looks, and sees that a form is one of theirs. To be asked before anything is awaited, as
 * all resources: who calls is known while a call has not waited yet.
 */
@ApplicationScoped
class Viewers {
  private final CurrentVertxRequest current;
  private final Rights rights;

  Viewers(CurrentVertxRequest current, Rights rights) {
    this.current = current;
    this.rights = rights;
  }

  Viewer viewer() {
    Caller caller = rights.caller();
    HttpServerRequest call = call();
    return new Viewer(
        caller.name().orElse(null),
        caller.role().includes(AccessRole.SUBMIT),
        caller.role().includes(AccessRole.OPERATE),
        SessionCookie.key(session(call)),
        call.uri());
  }

  /** What they ask. */
  HttpServerRequest call() {
    return current.getCurrent().request();
  }

  /** Whether who looks may see the jobs of all queues. */
  boolean seesAll() {
    return rights.caller().queues().isEmpty();
  }

  private static String session(HttpServerRequest call) {
    return SessionCookie.sent(call)
        .orElseGet(
            () -> {
              String made = AccessTokens.random("");
              SessionCookie.set(call, made);
              return made;
            });
  }

  /**
   * Refuses a form that is not from a page of this session.
   *
   * @throws ApiException 403
   */
  void check(String key) {
    boolean own =
        SessionCookie.sent(call())
            .map(SessionCookie::key)
            .filter(expected -> key != null && same(expected, key))
            .isPresent();
    if (!own) {
      throw ApiException.notAllowed("key", "of another session", "a form of a page that is open");
    }
  }

  private static boolean same(String expected, String key) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), key.getBytes(StandardCharsets.UTF_8));
  }
}
