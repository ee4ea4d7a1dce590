package io.stoker.dispatcher.service.rest;

import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.stoker.common.message.AuditEntry;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.audit.AuditLog;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Has each call that changes something noted, answered in whatever way. */
final class AuditedCalls {
  /** Before all that may answer, the check of who calls included. */
  private static final int FIRST = -1000;

  private static final Set<HttpMethod> READING =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

  private static final String IDS = "stoker.audit.ids";
  private static final int MOST_IDS = 20;

  private final AuditLog log;

  AuditedCalls(AuditLog log) {
    this.log = log;
  }

  void register(@Observes Router router) {
    router.route().order(FIRST).handler(this::look);
  }

  private void look(RoutingContext call) {
    if (!READING.contains(call.request().method())) {
      call.addEndHandler(done -> log.write(entry(call)));
    }
    call.next();
  }

  /** Says which requests a call posts. */
  static void posts(RoutingContext call, List<String> ids) {
    call.put(IDS, ids.stream().limit(MOST_IDS).toList());
  }

  private static AuditEntry entry(RoutingContext call) {
    return new AuditEntry(
        Instant.now().toString(),
        caller(call).flatMap(Caller::name).orElse(null),
        call.request().remoteAddress().hostAddress(),
        "rest",
        AuditLog.cut(call.request().method() + " " + call.request().uri()),
        call.get(IDS),
        null,
        Integer.toString(call.response().getStatusCode()),
        null);
  }

  /** Who calls, once that was looked at. */
  static Optional<Caller> caller(RoutingContext call) {
    return call.user() instanceof QuarkusHttpUser user
        ? Optional.ofNullable(BearerLogin.caller(user.getSecurityIdentity()))
        : Optional.empty();
  }
}
