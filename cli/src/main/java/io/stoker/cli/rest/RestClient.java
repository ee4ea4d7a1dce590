package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Speaks HTTP with a dispatcher; whoever does not answer is told apart from what was refused.
 *
 * <p>It does so with the JDK's older client: the newer one loads the whole of TLS before its first
 * question, which is a fifth of what a command that reads once takes.
 */
public final class RestClient implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Awaited JSON = new Awaited("application/json", Duration.ofSeconds(20));
  private static final Awaited OF_ANY_KIND = new Awaited("*/*", Duration.ZERO);

  private static final int UNAVAILABLE = 503;
  private static final int TOO_OFTEN = 429;

  /** Who asks too often asks again so often, unless that is to be longer from now than this. */
  private static final int TRIES = 5;

  private static final int LONGEST_PAUSE_SECONDS = 10;

  /** What was said is wrong, does not go with how things stand, or is too large. */
  private static final Set<Integer> REFUSED = Set.of(400, 409, 413);

  /** Before a question is asked a second time, a third, and so on. */
  private static final long[] PAUSES_MILLIS = {250, 500, 1000, 2000};

  private final URI base;
  private final Access access;
  private volatile HttpURLConnection asking;

  /**
   * @param base of the dispatcher, without a slash at its end
   * @param access who asks
   */
  public RestClient(URI base, Access access) {
    this.base = base;
    this.access = access;
  }

  /**
   * What came back.
   *
   * @param body the JSON of the body; a missing node if there is none
   */
  public record Answer(int status, JsonNode body) {}

  /**
   * What answer is awaited.
   *
   * @param within how long at most nothing may come; zero for ever
   */
  private record Awaited(String type, Duration within) {}

  private record Reply(URI asked, int status, InputStream body) {}

  private interface Reading<T> {
    T of(Reply reply) throws IOException;
  }

  /** A text as part of a path or query. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Asks again for some seconds where the dispatcher says that it cannot tell just now. */
  public Answer get(String path) {
    Answer answer = send("GET", path, null, JSON, RestClient::json);
    for (int i = 0; i < PAUSES_MILLIS.length && answer.status() == UNAVAILABLE; i++) {
      if (!slept(PAUSES_MILLIS[i])) {
        return answer;
      }
      answer = send("GET", path, null, JSON, RestClient::json);
    }
    return answer;
  }

  public Answer delete(String path) {
    return send("DELETE", path, null, JSON, RestClient::json);
  }

  public Answer post(String path, byte[] body) {
    return send("POST", path, body, JSON, RestClient::json);
  }

  /**
   * Reads a body line by line as it arrives, to the end of the answer, however late that is.
   *
   * @return whether what was asked for is known
   * @throws CliException with exit code 2 if the question was refused
   */
  public boolean lines(String path, Consumer<String> reader) {
    return send(
        "GET",
        path,
        null,
        OF_ANY_KIND,
        reply -> {
          switch (reply.status()) {
            case 200 -> read(reply, reader);
            case 404 -> {}
            case 400 -> throw CliException.usage(Refusal.text(text(reply)));
            default ->
                throw CliException.unreachable(
                    "%s answered %d: %s".formatted(reply.asked(), reply.status(), text(reply)));
          }
          return reply.status() == 200;
        });
  }

  /** A body as it is; empty if what was asked for is not known. */
  public Optional<byte[]> bytes(String path) {
    return send(
        "GET",
        path,
        null,
        OF_ANY_KIND,
        reply ->
            switch (reply.status()) {
              case 200 -> Optional.of(reply.body().readAllBytes());
              case 404 -> Optional.empty();
              case 400 -> throw CliException.usage(Refusal.text(text(reply)));
              default ->
                  throw CliException.unreachable(
                      "%s answered %d".formatted(reply.asked(), reply.status()));
            });
  }

  /**
   * The status of an answer, once all of it was read.
   *
   * @param type of what is asked for
   */
  public int status(String path, String type) {
    return send(
        "GET",
        path,
        null,
        new Awaited(type, JSON.within()),
        reply -> {
          reply.body().transferTo(OutputStream.nullOutputStream());
          return reply.status();
        });
  }

  /**
   * Says that an answer was not one of those that {@code what} hopes for: 2 for what is refused.
   */
  public CliException unexpected(String what, Answer answer) {
    if (REFUSED.contains(answer.status())) {
      return CliException.usage(Refusal.text(answer.body()));
    }
    String said =
        "%s: %s answered %d: %s"
            .formatted(what, base, answer.status(), Refusal.text(answer.body()));
    return answer.status() >= 500 ? CliException.unreachable(said) : CliException.failed(said);
  }

  /** Breaks off what is being asked, if anything is; may be called from another thread. */
  @Override
  public void close() {
    HttpURLConnection connection = asking;
    if (connection != null) {
      connection.disconnect();
    }
  }

  private void read(Reply reply, Consumer<String> reader) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(reply.body(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          reader.accept(line);
        }
      }
    } catch (IOException e) {
      throw CliException.unreachable(
          "the connection to %s broke: %s".formatted(base, reason(e)), e);
    }
  }

  private static String text(Reply reply) throws IOException {
    return new String(reply.body().readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .collect(Collectors.joining(" "));
  }

  private static Answer json(Reply reply) throws IOException {
    byte[] body = reply.body().readAllBytes();
    try {
      JsonNode tree = body.length == 0 ? MissingNode.getInstance() : Json.read(body);
      return new Answer(reply.status(), tree);
    } catch (MalformedJson e) {
      throw CliException.unreachable(
          "%s answered %d with something else than JSON (%s): is it a Stoker dispatcher?"
              .formatted(reply.asked(), reply.status(), e.getMessage()),
          e);
    }
  }

  private <T> T send(String method, String path, byte[] body, Awaited answer, Reading<T> reading) {
    return send(method, path, body, answer, reading, TRIES);
  }

  /**
   * @param body null for none
   * @param more how often it may be asked again by whoever asks too often
   */
  private <T> T send(
      String method, String path, byte[] body, Awaited answer, Reading<T> reading, int more) {
    URI asked = URI.create(base + path);
    try {
      HttpURLConnection connection = (HttpURLConnection) asked.toURL().openConnection();
      asking = connection;
      connection.setConnectTimeout((int) CONNECT.toMillis());
      connection.setReadTimeout((int) answer.within().toMillis());
      connection.setInstanceFollowRedirects(false);
      connection.setRequestMethod(method);
      connection.setRequestProperty("Accept", answer.type());
      access.to(connection);
      if (body != null) {
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setDoOutput(true);
        // Also says that nothing is sent a second time where a connection broke.
        connection.setFixedLengthStreamingMode(body.length);
        try (OutputStream out = connection.getOutputStream()) {
          out.write(body);
        }
      }
      int status = status(connection);
      try (InputStream in = opened(connection, status)) {
        if (status == TOO_OFTEN && more > 0 && paused(connection)) {
          return send(method, path, body, answer, reading, more - 1);
        }
        if (status == 401 || status == 403 || status == TOO_OFTEN) {
          throw notAllowed(new Reply(asked, status, in));
        }
        return reading.of(new Reply(asked, status, in));
      }
    } catch (IOException e) {
      throw CliException.unreachable(
          "the dispatcher at %s does not answer (%s): see stoker info, or set STOKER_URL"
              .formatted(base, reason(e)),
          e);
    } finally {
      asking = null;
    }
  }

  /** Whether it was said for how long, that is short, and has passed. */
  private static boolean paused(HttpURLConnection connection) {
    int seconds = connection.getHeaderFieldInt("Retry-After", -1);
    return seconds >= 0 && seconds <= LONGEST_PAUSE_SECONDS && slept(seconds * 1000L);
  }

  private static boolean slept(long millis) {
    try {
      Thread.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private CliException notAllowed(Reply reply) throws IOException {
    String hint = reply.status() == 401 ? "; set STOKER_TOKEN, or use stoker login" : "";
    return CliException.usage(
        "%s answered %d: %s%s".formatted(base, reply.status(), Refusal.text(text(reply)), hint));
  }

  /** The body, which is elsewhere if the answer says that something failed. */
  private static InputStream opened(HttpURLConnection connection, int status) throws IOException {
    InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream();
    return body == null ? InputStream.nullInputStream() : body;
  }

  private static int status(HttpURLConnection connection) throws IOException {
    int status;
    try {
      status = connection.getResponseCode();
    } catch (HttpRetryException e) {
      status = e.responseCode();
    }
    if (status < 0) {
      throw new IOException("it speaks something else than HTTP");
    }
    return status;
  }

  private static String reason(IOException e) {
    if (e instanceof UnknownHostException) {
      return "no host of this name is known";
    }
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
