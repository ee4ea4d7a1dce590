package io.stoker.cli.testing;

import com.sun.net.httpserver.HttpServer;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.RestClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands in for a dispatcher's REST: answers what a test says, and 404 to all else. */
public final class AServer implements AutoCloseable {
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final Set<String> busy = ConcurrentHashMap.newKeySet();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  private record Answer(int status, String body) {}

  private AServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          asked.add(exchange.getRequestMethod() + " " + path);
          exchange.getRequestBody().readAllBytes();
          Answer answer = answers.getOrDefault(path, new Answer(404, ""));
          if (busy.remove(path)) {
            answer = new Answer(429, "{\"message\":\"too often\"}");
            exchange.getResponseHeaders().set("Retry-After", "0");
          }
          byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  public static AServer answering(String path, int status, String body) throws IOException {
    return new AServer().and(path, status, body);
  }

  public AServer and(String path, int status, String body) {
    answers.put(path, new Answer(status, body));
    return this;
  }

  /** The next who asks for it is told to ask again, at once. */
  public AServer busyFirst(String path) {
    busy.add(path);
    return this;
  }

  /** Methods and paths, in order. */
  public List<String> asked() {
    return asked;
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public RestClient client() {
    return new RestClient(URI.create(url()), Access.NONE);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
