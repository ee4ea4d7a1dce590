package io.stoker.dispatcher.service.rest;

import io.stoker.common.size.Limits;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;

/**
 * Says how large a body may be to whoever announces a larger one, which is read and dropped, so
 * that its sender gets to read the answer. Of one whose size is not announced {@link Bodies} finds
 * out.
 */
final class LargeBodies {
  /** Before what closes the connection without a word. */
  private static final int FIRST = -3;

  void register(@Observes Router router) {
    router.route().order(FIRST).handler(LargeBodies::look);
  }

  private static void look(RoutingContext call) {
    String length = call.request().getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null || Long.parseLong(length) <= Limits.BODY) {
      call.next();
      return;
    }
    EarlyRefusal.answer(call, ApiException.tooLarge(Long.parseLong(length)));
  }
}
