package io.stoker.agent.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Answers {@code GET /metrics}, and {@code GET /ready} by 200, or by 503 and why it takes no jobs.
 * It is the JDK's own small server on its one thread, which sleeps until it is asked: an agent that
 * nobody scrapes does not pay for it.
 */
public final class MetricsEndpoint implements AutoCloseable {
  private static final String PATH = "/metrics";
  private static final String READY = "/ready";
  private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final long ANSWER_MS = 2_000;
  private static final int NOT_FOUND = 404;
  private static final int WRONG_METHOD = 405;
  private static final int UNAVAILABLE = 503;

  private final HttpServer server;
  private final Supplier<CompletableFuture<AgentView>> views;

  /**
   * Listens from now on.
   *
   * @param port 0 for any that is free
   * @param views how the agent is, when it is asked
   * @throws IOException naming the address, if it cannot be had
   */
  public MetricsEndpoint(String host, int port, Supplier<CompletableFuture<AgentView>> views)
      throws IOException {
    this.views = views;
    InetSocketAddress address = new InetSocketAddress(host, port);
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new IOException(
          "stoker.agent.metrics: %s:%d cannot be listened on: %s"
              .formatted(host, port, e.getMessage()),
          e);
    }
    server.createContext("/", this::answer);
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      if (!path.equals(PATH) && !path.equals(READY)) {
        send(exchange, NOT_FOUND, "there is " + PATH + " here, and " + READY + "\n");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        send(exchange, WRONG_METHOD, "GET is served here\n");
      } else {
        tell(exchange, path.equals(READY));
      }
    }
  }

  private void tell(HttpExchange exchange, boolean readiness) throws IOException {
    try {
      AgentView view = views.get().get(ANSWER_MS, TimeUnit.MILLISECONDS);
      if (readiness) {
        readiness(exchange, view);
      } else {
        exchange.getResponseHeaders().set("Content-Type", TYPE);
        send(exchange, 200, AgentMetrics.of(view));
      }
    } catch (ExecutionException | TimeoutException e) {
      send(exchange, UNAVAILABLE, "the agent does not say how it is: " + e.getMessage() + "\n");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      send(exchange, UNAVAILABLE, "the agent stops\n");
    }
  }

  private static void readiness(HttpExchange exchange, AgentView view) throws IOException {
    String refuses = view.resources().refuses();
    if (refuses != null) {
      send(exchange, UNAVAILABLE, "takes no jobs: " + refuses + "\n");
    } else if (view.figures().epoch().isEmpty()) {
      send(exchange, UNAVAILABLE, "takes no jobs: no dispatcher has welcomed it yet\n");
    } else {
      send(exchange, 200, "takes jobs\n");
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
