package io.stoker.e2e.stack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeUnit;

/** One of a stack's dispatchers as any HTTP client has it. */
public record Rest(StokerStack stack, String url) {
  private static final int UNAVAILABLE = 503;

  /** Its first one. */
  public Rest(StokerStack stack) {
    this(stack, stack.processes().info().url());
  }

  /** Another one of the same stack. */
  public Rest of(Child dispatcher) {
    return new Rest(
        stack, "http://127.0.0.1:%d".formatted(stack.processes().port(dispatcher.name())));
  }

  /**
   * What it answers, which must be well. Where it cannot tell in the time that a read has, it says
   * so and to try again, which is done.
   */
  public String get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = get(path, "*/*");
    assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isBetween(200, 299);
    return answer.body();
  }

  /** Whatever it answers to who takes this type alone, once it can tell. */
  public HttpResponse<String> get(String path, String type)
      throws IOException, InterruptedException {
    long patience = System.nanoTime() + StatusLog.PATIENCE.toNanos();
    HttpRequest.BodyPublisher none = HttpRequest.BodyPublishers.noBody();
    HttpResponse<String> answer = ask("GET", path, none, "Accept", type);
    while (answer.statusCode() == UNAVAILABLE && System.nanoTime() < patience) {
      TimeUnit.MILLISECONDS.sleep(200);
      answer = ask("GET", path, none, "Accept", type);
    }
    return answer;
  }

  public JsonNode json(String path) throws Exception {
    return Json.read(get(path));
  }

  /** The status code of its answer. */
  public int code(String method, String path) throws IOException, InterruptedException {
    return ask(method, path, HttpRequest.BodyPublishers.noBody(), "Content-Type", "text/plain")
        .statusCode();
  }

  /** Posts JSON, which must be taken; what it answers. */
  public String post(String path, String json) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        ask(
            "POST",
            path,
            HttpRequest.BodyPublishers.ofString(json),
            "Content-Type",
            "application/json");
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    return answer.body();
  }

  private HttpResponse<String> ask(
      String method, String path, HttpRequest.BodyPublisher body, String header, String value)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path)).header(header, value).method(method, body);
    stack.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }
}
