package io.stoker.agent.aws;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Speaks EC2's query protocol for a few instances: XML over HTTP, on a port of its own. */
public final class Ec2Server implements AutoCloseable {
  private final HttpServer server;

  /** What was asked, such as {@code StartInstances i-0a1b2c3d}, without the looks. */
  public final List<String> asked = new CopyOnWriteArrayList<>();

  private final AtomicInteger looks = new AtomicInteger();
  private final Map<String, String> states = new ConcurrentHashMap<>();
  private final Map<String, Deque<String>> failures = new ConcurrentHashMap<>();
  private volatile Optional<CountDownLatch> held = Optional.empty();

  public Ec2Server() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Puts an instance into a state. */
  public void put(String id, String state) {
    states.put(id, state);
  }

  public String state(String id) {
    return states.get(id);
  }

  /** How often somebody has looked how an instance is. */
  public int looks() {
    return looks.get();
  }

  /** Until it is closed, no start is answered. */
  public interface Hold extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Holds the answers to starts. Instances that are started from now on stay pending until they are
   * put into another state.
   */
  public Hold holdStarts() {
    CountDownLatch latch = new CountDownLatch(1);
    held = Optional.of(latch);
    return latch::countDown;
  }

  /** The state of an instance that is told to start, once that may be answered. */
  private String started() throws IOException {
    if (held.isEmpty()) {
      return "running";
    }
    try {
      held.get().await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return "pending";
  }

  /** The next such question fails with this code; with none at all if it is empty. */
  public void fail(String action, String code) {
    failures.computeIfAbsent(action, same -> new ArrayDeque<>()).add(code);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Map<String, String> given =
        Arrays.stream(body.split("&"))
            .map(pair -> pair.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> decoded(pair[1])));
    String action = given.get("Action");
    String id = given.get("InstanceId.1");
    if (action.startsWith("Describe")) {
      looks.incrementAndGet();
    } else {
      asked.add(action + " " + id);
    }
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    String failure =
        authorization == null || !authorization.startsWith("AWS4-HMAC-SHA256 Credential=")
            ? "AuthFailure"
            : next(action);
    if (failure == null && !states.containsKey(id)) {
      failure = "InvalidInstanceID.NotFound";
    }
    if (failure != null) {
      send(
          exchange,
          failure.startsWith("Insufficient") ? 500 : 400,
          failure.isEmpty()
              ? "<html>a proxy's own page</html>"
              : ("<Response><Errors><Error><Code>%s</Code><Message>about %s</Message></Error>"
                      + "</Errors><RequestID>r-1</RequestID></Response>")
                  .formatted(failure, id));
      return;
    }
    send(
        exchange,
        200,
        switch (action) {
          case "DescribeInstances" -> description(id);
          case "StartInstances" -> change(action, id, started());
          case "StopInstances" -> change(action, id, "stopped");
          default -> throw new IOException("unexpected action " + action);
        });
  }

  private synchronized String next(String action) {
    Deque<String> coming = failures.get(action);
    return coming == null ? null : coming.poll();
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private String description(String id) {
    String state = states.get(id);
    String address = state.equals("running") ? "<ipAddress>127.0.0.1</ipAddress>" : "";
    return document(
        "DescribeInstances",
        ("<reservationSet><item><reservationId>r-1</reservationId><instancesSet><item>"
                + "<instanceId>%s</instanceId><instanceState><code>0</code><name>%s</name>"
                + "</instanceState><dnsName></dnsName>%s</item></instancesSet></item></reservationSet>")
            .formatted(id, state, address));
  }

  private String change(String action, String id, String to) {
    String before = states.put(id, to);
    return document(
        action,
        ("<instancesSet><item><instanceId>%s</instanceId><currentState><code>0</code>"
                + "<name>%s</name></currentState><previousState><code>0</code><name>%s</name>"
                + "</previousState></item></instancesSet>")
            .formatted(id, to, before));
  }

  private static String document(String action, String content) {
    return ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><%1$sResponse"
            + " xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>r-1</requestId>%2$s"
            + "</%1$sResponse>")
        .formatted(action, content);
  }

  private static void send(HttpExchange exchange, int code, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "text/xml;charset=UTF-8");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
