package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.stoker.common.fixture.Chromium;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Takes the pictures of {@code docs/page.md}, of a made-up day of three hosts. {@code
 * -Dwrite-screenshots=true} does it, with no other test beside it; a name that begins with {@code
 * stoker.} would be taken for a setting of the dispatcher.
 */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfSystemProperty(named = "write-screenshots", matches = "true")
class PagePicturesTest extends RestContract {
  private static final Path FOLDER = Path.of("../../../docs/page");
  private static final int MOST_BYTES = 150_000;
  private static final int WIDTH = 1200;
  private static final long GIB = 1L << 30;
  private static final String FAILING = "broken.py";
  private static final String RUNNING = "train.py";

  private final List<FakeAgent> others = new ArrayList<>();

  @Override
  String host() {
    return "node-c";
  }

  @Override
  HostResources resources() {
    return FakeAgent.resources(
        host, 8, gpus(host, 2), List.of(new PoolOffer("iris", 12, null)), "passive");
  }

  private static List<DeviceInfo> gpus(String host, int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new DeviceInfo(
                    "GPU-%d%s".formatted(i, Integer.toHexString(host.hashCode())),
                    "GPU-%d-%s".formatted(i, host),
                    "NVIDIA H100 80GB",
                    80 * GIB,
                    "9.0"))
        .toList();
  }

  @Override
  Optional<Ending> ending(Place place) {
    List<String> command = place.program().command();
    if (command.contains(RUNNING) && !place.program().env().containsKey(FakeAgent.TOOK)) {
      return Optional.empty();
    }
    if (command.contains(FAILING)) {
      return Optional.of(
          new Ending(Outcome.FAILED, null, 1, "Traceback (most recent call last):\n"));
    }
    double rate = place.params().path("lr").asDouble(0.1);
    double score = 0.95 - Math.pow(Math.log10(rate) + 2.2, 2) / 9;
    return Optional.of(Ending.succeeded("%.4f".formatted(score)));
  }

  @Test
  void views_arePhotographed() throws Exception {
    Path program = Chromium.program();
    for (String name : List.of("node-a", "node-b")) {
      others.add(
          FakeAgent.start(
              bootstrap,
              new Topics(Topics.DEFAULT_PREFIX),
              name,
              FakeAgent.resources(name, 16, gpus(name, 4), null),
              this::ending));
    }
    await().atMost(SOON).until(() -> others.stream().allMatch(FakeAgent::welcomed));
    try (Chromium browser = Chromium.start(program);
        Chromium.Tab tab = browser.open(WIDTH, 800)) {
      makeADay();
      Files.createDirectories(FOLDER);
      for (Map.Entry<String, String> view : views().entrySet()) {
        tab.go("http://127.0.0.1:" + RestAssured.port + view.getValue());
        tab.await("document.querySelector('#pause')");
        tab.scheme("light");
        take(tab, view.getKey());
        tab.scheme("dark");
        take(tab, view.getKey() + "-dark");
      }
    } finally {
      for (FakeAgent one : others) {
        one.close();
      }
    }
  }

  private static Map<String, String> views() {
    Map<String, String> views = new LinkedHashMap<>();
    views.put("now", "/");
    views.put("fleet", "/hosts");
    views.put("host", "/hosts/node-a");
    views.put("jobs", "/requests?sort=-priority");
    views.put("many", "/requests?state=FAILED&many=1");
    views.put("job", "/requests/train-7");
    views.put("groups", "/groups");
    views.put("sweep", "/groups/lr-sweep");
    views.put("queues", "/queues");
    views.put("pools", "/pools");
    views.put("kinds", "/kinds");
    views.put("letters", "/dead-letters");
    return views;
  }

  /** As much of it as a screen shows, or less. */
  private static void take(Chromium.Tab tab, String name) throws IOException {
    tab.size(WIDTH, 300);
    int height = tab.run("document.documentElement.scrollHeight").asInt();
    tab.size(WIDTH, Math.min(700, height));
    byte[] picture = tab.picture();
    assertThat(picture.length).as("bytes of %s", name).isLessThan(MOST_BYTES);
    Files.write(FOLDER.resolve(name + ".png"), picture);
  }

  private void makeADay() {
    run(
        "train-0",
        RUNNING,
        "\"group\":\"nightly\",\"env\":{\"%s\":\"7800000\"},\"resources\":{\"gpus\":1}"
            .formatted(FakeAgent.TOOK));
    awaitState("train-0", "SUCCEEDED");
    for (int i = 1; i <= 9; i++) {
      run(
          "train-" + i,
          RUNNING,
          "\"group\":\"nightly\",\"priority\":%d,\"user\":\"%s\",\"resources\":{\"gpus\":1,\"gpuMemory\":\"64GiB\"}"
              .formatted(i % 3, i % 2 == 0 ? "ann" : "bo"));
    }
    for (int i = 1; i <= 4; i++) {
      run("report-" + i, "report.sh", "\"dependsOn\":[\"train-7\"]");
    }
    for (int i = 1; i <= 3; i++) {
      run("lab-" + i, RUNNING, "\"queue\":\"lab\",\"user\":\"cy\"");
      run("eval-" + i, FAILING, "\"group\":\"nightly\",\"user\":\"ann\"");
    }
    run("flaky-1", FAILING, "\"retry\":{\"app\":50},\"user\":\"bo\"");
    run("wide-1", "train.sh", "\"resources\":{\"require\":{\"network\":\"infiniband\"}}");
    double[] rates = {0.0003, 0.001, 0.003, 0.006, 0.01, 0.03, 0.1, 0.3};
    for (int i = 0; i < rates.length; i++) {
      run(
          "lr-" + (i + 1),
          "sweep.py",
          "\"group\":\"lr-sweep\",\"params\":{\"lr\":%s,\"depth\":%d}"
              .formatted(rates[i], 2 + i % 4));
    }
    for (int i = 1; i <= 12; i++) {
      post("{\"id\":\"flower-%1$d\",\"workers\":\"iris\",\"params\":{\"n\":%1$d}}".formatted(i))
          .statusCode(202);
    }
    agent.record(
        new Topics(Topics.DEFAULT_PREFIX).requests(), "x", "{\"id\":\"x\",\"comand\":[\"echo\"]}");
    given()
        .queryParam("reason", "a new fan")
        .post("/hosts/{host}/cordon", "node-b")
        .then()
        .statusCode(202);
    awaitState("train-7", "RUNNING");
    awaitState("eval-3", "FAILED");
    awaitState("lr-8", "SUCCEEDED");
    awaitState("flower-12", "SUCCEEDED");
    await()
        .atMost(SOON)
        .until(
            () ->
                !given().get("/").jsonPath().getList("never.newest.id").isEmpty()
                    && !given().get("/dead-letters").jsonPath().getList("letters").isEmpty());
  }

  private static void run(String id, String program, String more) {
    post("{\"id\":\"%1$s\",\"command\":[\"python3\",\"%2$s\",\"--seed\",\"%1$s\"],%3$s}"
            .formatted(id, program, more))
        .statusCode(202);
  }
}
