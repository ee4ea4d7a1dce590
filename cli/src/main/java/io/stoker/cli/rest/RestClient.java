package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.stoker.cli.CliException;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Speaks HTTP with a dispatcher; whoever does not answer is told apart from what was refused. */
public final class RestClient implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration ANSWER = Duration.ofSeconds(20);

  private final URI base;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT).build();

  /**
   * @param base of the dispatcher, without a slash at its end
   */
  public RestClient(URI base) {
    this.base = base;
  }

  /**
   * What came back.
   *
   * @param body the JSON of the body; a missing node if there is none
   */
  public record Answer(int status, JsonNode body) {}

  /** A text as part of a path or query. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  public Answer get(String path) {
    return json(to(path).GET().timeout(ANSWER).build());
  }

  public Answer delete(String path) {
    return json(to(path).DELETE().timeout(ANSWER).build());
  }

  public Answer post(String path, byte[] body) {
    return json(
        to(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .timeout(ANSWER)
            .build());
  }

  /**
   * Reads a body line by line as it arrives, to the end of the answer, however late that is.
   *
   * @return whether what was asked for is known
   * @throws CliException with exit code 2 if the question was refused
   */
  public boolean lines(String path, Consumer<String> reader) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + path)).GET().build();
    HttpResponse<Stream<String>> response = send(request, HttpResponse.BodyHandlers.ofLines());
    try (Stream<String> lines = response.body()) {
      if (response.statusCode() == 200) {
        lines.filter(line -> !line.isBlank()).forEach(reader);
      } else if (response.statusCode() != 404) {
        String text = lines.collect(Collectors.joining(" "));
        if (response.statusCode() == 400) {
          throw CliException.usage(Refusal.text(text));
        }
        throw CliException.unreachable(
            "%s answered %d: %s".formatted(request.uri(), response.statusCode(), text));
      }
    } catch (UncheckedIOException e) {
      throw CliException.unreachable(
          "the connection to %s broke: %s".formatted(base, e.getCause().getMessage()), e);
    }
    return response.statusCode() == 200;
  }

  /** A body as it is; empty if what was asked for is not known. */
  public Optional<byte[]> bytes(String path) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + path)).GET().build();
    HttpResponse<byte[]> response = send(request, HttpResponse.BodyHandlers.ofByteArray());
    return switch (response.statusCode()) {
      case 200 -> Optional.of(response.body());
      case 404 -> Optional.empty();
      default ->
          throw CliException.unreachable(
              "%s answered %d".formatted(request.uri(), response.statusCode()));
    };
  }

  /** Says that an answer was not one of those that {@code what} can have. */
  public CliException unexpected(String what, Answer answer) {
    String said =
        "%s: %s answered %d: %s"
            .formatted(what, base, answer.status(), Refusal.text(answer.body()));
    return answer.status() >= 500 ? CliException.unreachable(said) : CliException.failed(said);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).header("Accept", "application/json");
  }

  private Answer json(HttpRequest request) {
    HttpResponse<byte[]> response = send(request, HttpResponse.BodyHandlers.ofByteArray());
    byte[] body = response.body();
    try {
      JsonNode tree = body.length == 0 ? MissingNode.getInstance() : Json.read(body);
      return new Answer(response.statusCode(), tree);
    } catch (MalformedJson e) {
      throw CliException.unreachable(
          "%s answered %d with something else than JSON (%s): is it a Stoker dispatcher?"
              .formatted(request.uri(), response.statusCode(), e.getMessage()),
          e);
    }
  }

  private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    try {
      return http.send(request, handler);
    } catch (IOException e) {
      String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw CliException.unreachable(
          "the dispatcher at %s does not answer (%s): see stoker info, or set STOKER_URL"
              .formatted(base, why),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.failed("interrupted while asking " + request.uri());
    }
  }
}
