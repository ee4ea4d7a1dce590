package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many open tabs on one dispatcher. */
@QuarkusTest
@OnRealServices
class ChangesTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int TABS = 200;

  @Inject Changes changes;

  /** What an open tab has heard; it is read by a thread of its own. */
  private record Tab(InputStream stream, AtomicInteger signals) {
    static Tab of(InputStream stream) {
      Tab tab = new Tab(stream, new AtomicInteger());
      Thread.ofVirtual().start(tab::read);
      return tab;
    }

    private void read() {
      try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.equals("event:changed")) {
            signals.incrementAndGet();
          }
        }
      } catch (IOException closed) {
        // By the test.
      }
    }
  }

  @Test
  void tabs_allHearWhatConcernsThemByOneReaderThatGoesWithThem() throws Exception {
    String id = UUID.randomUUID().toString();
    List<Tab> tabs = new ArrayList<>();
    List<Tab> others = new ArrayList<>();
    // As browsers do of what is not encrypted; and its close would wait for streams that do not
    // end.
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    try {
      for (int i = 0; i < TABS; i++) {
        tabs.add(open(http, "of=request&name=" + id));
      }
      others.add(open(http, "of=request&name=none"));
      List<Tab> all = new ArrayList<>(tabs);
      all.addAll(others);
      // Once there is a reader each is fetched once more.
      await().atMost(SOON).until(() -> all.stream().allMatch(tab -> tab.signals().get() > 0));
      assertThat(changes.follows()).isTrue();
      List<Integer> before = tabs.stream().map(tab -> tab.signals().get()).toList();
      int ofOthers = others.getFirst().signals().get();
      RestAssured.given()
          .contentType(ContentType.JSON)
          .body("{\"id\":\"%1$s\",\"command\":[\"x\",\"%1$s\"]}".formatted(id))
          .post("/requests")
          .then()
          .statusCode(202);
      await()
          .atMost(SOON)
          .until(
              () ->
                  IntStream.range(0, TABS)
                      .allMatch(i -> tabs.get(i).signals().get() > before.get(i)));
      assertThat(others.getFirst().signals().get()).isEqualTo(ofOthers);
    } finally {
      http.shutdownNow();
    }
    await().atMost(SOON).until(() -> !changes.follows());
    RestAssured.given().delete("/requests/{id}", id).then().statusCode(202);
  }

  @Test
  void heartbeat_thatSaysTheSame_isNoChange() {
    Set<String> alive = new HashSet<>(Set.of("box"));
    HostsShown hosts = new HostsShown(alive::contains);
    DeviceTelemetry device = new DeviceTelemetry("0", 8L << 30, 40, 60, 90_000);
    assertThat(hosts.differs("box", beat(1, device, 1000))).isTrue();
    // Another temperature and a few bytes more are shown nowhere.
    DeviceTelemetry warmer = new DeviceTelemetry("0", (8L << 30) + 4096, 40, 61, 91_000);
    assertThat(hosts.differs("box", beat(2, warmer, 2000))).isFalse();
    assertThat(hosts.differs("other", beat(1, warmer, 0))).isTrue();
    DeviceTelemetry busier = new DeviceTelemetry("0", 8L << 30, 41, 60, 90_000);
    assertThat(hosts.differs("box", beat(3, busier, 3000))).isTrue();
    DeviceTelemetry fuller = new DeviceTelemetry("0", 9L << 30, 41, 60, 90_000);
    assertThat(hosts.differs("box", beat(4, fuller, 4000))).isTrue();
    assertThat(hosts.differs("box", new Goodbye("box", 1, null))).isTrue();
    assertThat(hosts.turned()).isEmpty();
    alive.clear();
    assertThat(hosts.turned()).containsExactly("box");
  }

  private static Heartbeat beat(long n, DeviceTelemetry device, long at) {
    return new Heartbeat("box", 1, n, at, at, List.of(), new Reserved(0, 0), List.of(device));
  }

  private static Tab open(HttpClient http, String of) throws Exception {
    CompletableFuture<HttpResponse<InputStream>> answer =
        http.sendAsync(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + RestAssured.port + "/page/changes?" + of))
                .header("Accept", "text/event-stream")
                .build(),
            HttpResponse.BodyHandlers.ofInputStream());
    HttpResponse<InputStream> got = answer.get();
    assertThat(got.statusCode()).isEqualTo(200);
    return Tab.of(got.body());
  }
}
