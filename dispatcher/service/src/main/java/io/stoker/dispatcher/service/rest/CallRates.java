package io.stoker.dispatcher.service.rest;

import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.access.Rates;
import io.stoker.dispatcher.service.access.TokenBook;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.core.HttpHeaders;
import java.time.Duration;

/**
 * Holds up who calls too often: by token, and who has none by address. Where nobody is asked who
 * they are, nobody is held up; nor is who asks for health, which restarts containers.
 */
final class CallRates {
  /** Behind the login, before the check of rights. */
  private static final int AFTER_LOGIN = -150;

  private final TokenBook tokens;
  private final Rates rates;

  CallRates(TokenBook tokens, StokerConfig config) {
    this.tokens = tokens;
    rates = new Rates(config.http().callsPerSecond());
  }

  void register(@Observes Router router) {
    if (!tokens.isOpen()) {
      router.route().order(AFTER_LOGIN).handler(this::look);
    }
  }

  private void look(RoutingContext call) {
    Duration wait = call.normalizedPath().startsWith("/q/health") ? Duration.ZERO : count(call);
    if (wait.isZero()) {
      call.next();
      return;
    }
    long seconds = wait.toSeconds() + 1;
    call.response().putHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
    EarlyRefusal.answer(call, ApiException.tooOften(seconds));
  }

  private synchronized Duration count(RoutingContext call) {
    // No token's name has a space.
    String caller =
        AuditedCalls.caller(call)
            .flatMap(Caller::name)
            .orElseGet(() -> "from " + call.request().remoteAddress().hostAddress());
    return rates.call(caller, System.nanoTime());
  }
}
