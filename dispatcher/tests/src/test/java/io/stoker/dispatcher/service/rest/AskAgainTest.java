package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.stoker.dispatcher.service.testing.AskAgain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AskAgainTest {
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private HttpServer server;

  /** It answers the first two calls that it cannot tell. */
  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        call -> {
          asked.add(
              "%s %s %s"
                  .formatted(
                      call.getRequestMethod(),
                      call.getRequestURI(),
                      call.getRequestHeaders().getFirst("Accept")));
          call.sendResponseHeaders(asked.size() > 2 ? 200 : 503, -1);
          call.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Test
  void question_thatCannotBeAnsweredNow_isAskedAgainAsItWas() {
    given()
        .filter(new AskAgain())
        .accept("text/html")
        .queryParam("text", "a b&c")
        .get(url() + "/requests/{id}", "<i>")
        .then()
        .statusCode(200);

    assertThat(asked).hasSize(3).containsOnly("GET /requests/%3Ci%3E?text=a%20b%26c text/html");
  }

  @Test
  void change_isNot() {
    given().filter(new AskAgain()).post(url() + "/requests").then().statusCode(503);

    assertThat(asked).hasSize(1);
  }
}
