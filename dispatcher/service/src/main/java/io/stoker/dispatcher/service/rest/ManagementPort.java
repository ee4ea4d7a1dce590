package io.stoker.dispatcher.service.rest;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.VertxHttpRecorder;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Serves what is under {@code /q} on a port of its own where one is configured, and no longer
 * beside REST: so a network can let those in who watch, and nobody else. Quarkus's own management
 * interface is there or not when it is built. What is asked for there needs the same token as here.
 */
@Singleton
public class ManagementPort {
  /** Before the check of who calls. */
  private static final int FIRST = -950;

  private static final String WATCHED = "/q/";

  private final Optional<Integer> port;
  private final String host;
  private final Vertx vertx;
  private volatile Optional<HttpServer> server = Optional.empty();

  ManagementPort(
      StokerConfig config, @ConfigProperty(name = "quarkus.http.host") String host, Vertx vertx) {
    this.port = config.http().managementPort();
    this.host = host;
    this.vertx = vertx;
  }

  void register(@Observes Router router) {
    if (port.isPresent()) {
      router.route().order(FIRST).handler(this::look);
    }
  }

  private void look(RoutingContext call) {
    boolean here = call.request().localAddress().port() == actual().orElse(-1);
    if (here == call.normalizedPath().startsWith(WATCHED)) {
      call.next();
    } else {
      call.fail(404);
    }
  }

  void listen(@Observes StartupEvent event) {
    port.ifPresent(
        on ->
            server =
                Optional.of(
                    vertx
                        .createHttpServer()
                        .requestHandler(call -> VertxHttpRecorder.getRootHandler().handle(call))
                        .listen(on, host)
                        .toCompletionStage()
                        .toCompletableFuture()
                        .join()));
  }

  void close(@Observes ShutdownEvent event) {
    server.ifPresent(HttpServer::close);
  }

  /** The port that it listens on; empty if there is none of its own. */
  public Optional<Integer> actual() {
    return server.map(HttpServer::actualPort);
  }
}
