package io.stoker.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopViewTest {
  private static final String GPU_HOST =
      """
      {"host":"box-1","state":"UP","usable":true,"cordoned":false,"freeGpus":1,"freeCpuSlots":3,
       "openAttempts":2,
       "resources":{"cpuSlots":4,"devices":[
         {"id":"0","model":"H100","memory":85899345920,"state":"OK"},
         {"id":"1","model":"H100","memory":85899345920,"state":"UNHEALTHY","reason":"Xid 79"}]},
       "telemetry":[{"id":"0","memoryUsed":42949672960,"gpuUtilization":93,"temperature":61,
         "power":310500}]}
      """;
  private static final String CPU_HOST =
      """
      {"host":"box-2","state":"UP","usable":false,"cordoned":true,"reason":"new disk","freeGpus":0,
       "freeCpuSlots":4,"openAttempts":0,"resources":{"cpuSlots":4,"devices":[]},"telemetry":[]}
      """;
  private static final String TRAINING =
      """
      {"id":"train-1","state":"RUNNING","version":3,"queue":"vision","host":"box-1","attempt":2,
       "devices":["0"],"code":"GPU_IDLE","reason":"its GPU 0 has been below 5 % for 30 min","progress":{"done":3,"total":4,"message":"epoch 3"},"startedAt":"2026-01-01T00:00:30Z",
       "at":"2026-01-01T00:00:00Z"}
      """;

  private static final Instant NOW = Instant.parse("2026-01-01T01:30:00Z");
  private static final OptionalInt ANY = OptionalInt.empty();

  @Test
  void showsDevicesWithWhatRunsOnThem() throws MalformedJson {
    assertThat(print(busy(), ANY, Wish.FIRST).toList())
        .containsExactly(
            "2 hosts, 1 of 2 GPUs and 1 of 8 CPU slots taken, 1,200 jobs queued, 2 placed or running",
            "",
            "HOST   STATE     GPUS TAKEN   SLOTS TAKEN    JOBS  NOTE",
            "box-1  UP        [#-] 1 of 2  [#---] 1 of 4     2",
            "box-2  CORDONED               [----] 0 of 4     0  new disk",
            "",
            "GPU      MODEL  MEMORY                                 BUSY   TEMP  POWER  STATE              JOBS",
            "box-1:0  H100   [##########----------] 40.0 of 80 GiB  93 %  61 °C  311 W  OK                 train-1",
            "box-1:1  H100   80 GiB                                                     UNHEALTHY: Xid 79",
            "",
            "QUEUE   QUEUED  PLACED OR RUNNING",
            "vision    1200                  2",
            "",
            "FIRST IN LINE  QUEUE    WAITS  WHY",
            "train-2        vision  30 min  none of 1 able host(s) has 2 GPU(s) free now",
            "",
            "RUNNING  QUEUE   ON       ATTEMPT  ELAPSED  PROGRESS                             NOTE",
            "train-1  vision  box-1:0        2   89 min  [###############-----] 75 % epoch 3  GPU_IDLE: its GPU 0 has been below 5 % for 30 min");
  }

  @Test
  void fitsAHundredAndFortyColumns() throws MalformedJson {
    assertThat(print(busy(), OptionalInt.of(140), Wish.FIRST).skip(16).toList())
        .containsExactly(
            "RUNNING  QUEUE   ON       ATTEMPT  ELAPSED  PROGRESS                             NOTE",
            "train-1  vision  box-1:0        2   89 min  [###############-----] 75 % epoch 3  GPU_IDLE: its GPU 0 has been below 5 % for 30 min");
  }

  @Test
  void fitsEightyColumnsWithShorterBars() throws MalformedJson {
    assertThat(print(busy(), OptionalInt.of(80), Wish.FIRST).toList())
        .containsExactly(
            "2 hosts, 1 of 2 GPUs and 1 of 8 CPU slots taken, 1,200 jobs queued, 2 placed or",
            "running",
            "",
            "HOST   STATE     GPUS TAKEN   SLOTS TAKEN    JOBS  NOTE",
            "box-1  UP        [#-] 1 of 2  [#---] 1 of 4     2",
            "box-2  CORDONED               [----] 0 of 4     0  new disk",
            "",
            "GPU      MODEL  MEMORY          BUSY   TEMP  POWER  STATE              JOBS",
            "box-1:0  H100   40.0 of 80 GiB  93 %  61 °C  311 W  OK                 train-1",
            "box-1:1  H100   80 GiB                              UNHEALTHY: Xid 79",
            "",
            "QUEUE   QUEUED  PLACED OR RUNNING",
            "vision    1200                  2",
            "",
            "FIRST IN LINE  QUEUE    WAITS  WHY",
            "train-2        vision  30 min  none of 1 able host(s) has 2 GPU(s) free now",
            "",
            "RUNNING  QUEUE   ON       ATTEMPT  ELAPSED  PROGRESS           NOTE",
            "train-1  vision  box-1:0        2   89 min  [######--] 75 %…   GPU_IDLE: its GP…");
  }

  @Test
  void fitsSixtyColumnsWithWhatMattersMost() throws MalformedJson {
    assertThat(print(busy(), OptionalInt.of(60), Wish.FIRST).toList())
        .containsExactly(
            "2 hosts, 1 of 2 GPUs and 1 of 8 CPU slots taken, 1,200 jobs",
            "queued, 2 placed or running",
            "",
            "HOST   STATE     GPUS TAKEN  SLOTS TAKEN  NOTE",
            "box-1  UP        1 of 2      1 of 4",
            "box-2  CORDONED              0 of 4       new disk",
            "",
            "GPU      MEMORY         BUSY   TEMP  STATE           JOBS",
            "box-1:0  40.0 of 80 G…  93 %  61 °C  OK              train-1",
            "box-1:1  80 GiB                      UNHEALTHY: Xi…",
            "",
            "QUEUE   QUEUED  PLACED OR RUNNING",
            "vision    1200                  2",
            "",
            "FIRST IN LINE   WAITS  WHY",
            "train-2        30 min  none of 1 able host(s) has 2 GPU(s)…",
            "",
            "RUNNING  ON       ELAPSED  PROGRESS      NOTE",
            "train-1  box-1:0   89 min  75 % epoch 3  GPU_IDLE: its GPU…");
  }

  @ParameterizedTest
  @ValueSource(ints = {60, 80, 140})
  void noLineIsLongerThanTheTerminal(int columns) throws MalformedJson {
    Picture large =
        new Picture(
            List.of(tree(GPU_HOST.replace("box-1", "gpu-box-with-a-long-name-7")), tree(CPU_HOST)),
            busy().queues(),
            List.of(
                running(
                    TRAINING
                        .replace("train-1", "a-sweep-of-the-whole-night.123456")
                        .replace("box-1", "gpu-box-with-a-long-name-7"))),
            busy().line(),
            NOW);

    assertThat(print(large, OptionalInt.of(columns), Wish.FIRST))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
  }

  @Test
  void aFilterLeavesWhatHoldsIt() throws MalformedJson {
    assertThat(print(busy(), ANY, new Wish(Wish.Order.NEWEST, "BOX-2", false, false)).skip(2))
        .containsExactly(
            "HOST   STATE     SLOTS TAKEN    JOBS  NOTE",
            "box-2  CORDONED  [----] 0 of 4     0  new disk");
  }

  @Test
  void jobsComeInTheOrderThatIsAskedFor() throws MalformedJson {
    RequestStatus older =
        running(
            TRAINING
                .replace("train-1", "z-old")
                .replace("2026-01-01T00:00:30", "2025-12-31T20:00:00"));
    Picture two =
        new Picture(List.of(), List.of(), List.of(running(TRAINING), older), List.of(), NOW);

    assertThat(ids(two, Wish.Order.NEWEST)).containsExactly("train-1", "z-old");
    assertThat(ids(two, Wish.Order.LONGEST)).containsExactly("z-old", "train-1");
    assertThat(ids(two, Wish.Order.ID)).containsExactly("train-1", "z-old");
  }

  private static List<String> ids(Picture picture, Wish.Order order) {
    return print(picture, ANY, new Wish(order, "", false, false))
        .skip(3)
        .map(line -> line.split(" ")[0])
        .toList();
  }

  @Test
  void aFleetWithoutGpusHasNoTableOfThem() throws MalformedJson {
    assertThat(print(of(tree(CPU_HOST)), ANY, Wish.FIRST).toList())
        .containsExactly(
            "1 host, 0 of 0 GPUs and 0 of 4 CPU slots taken, 0 jobs queued, 0 placed or running",
            "",
            "HOST   STATE     SLOTS TAKEN    JOBS  NOTE",
            "box-2  CORDONED  [----] 0 of 4     0  new disk");
  }

  @Test
  void tellsHowMuchOfHostsMemoryIsPromised() throws MalformedJson {
    JsonNode host =
        tree(
            """
            {"host":"box-3","state":"UP","usable":true,"freeCpuSlots":4,"openAttempts":1,
             "memoryPromised":6442450944,"resources":{"cpuSlots":4,"memory":17179869184}}
            """);

    assertThat(print(of(host), ANY, Wish.FIRST).skip(2).toList())
        .containsExactly(
            "HOST   STATE  SLOTS TAKEN    MEMORY PROMISED  JOBS",
            "box-3  UP     [----] 0 of 4  6 GiB of 16 GiB     1");
  }

  private static Picture of(JsonNode host) {
    return new Picture(List.of(host), List.of(), List.of(), List.of(), NOW);
  }

  private static Picture busy() throws MalformedJson {
    return new Picture(
        List.of(tree(GPU_HOST), tree(CPU_HOST)),
        List.of(tree("{\"queue\":\"vision\",\"queued\":1200,\"open\":2}")),
        List.of(running(TRAINING)),
        List.of(
            new Waiter(
                "vision",
                "train-2",
                "2026-01-01T01:00:00Z",
                "none of 1 able host(s) has 2 GPU(s) free now")),
        NOW);
  }

  private static RequestStatus running(String json) throws MalformedJson {
    return Json.read(json.getBytes(StandardCharsets.UTF_8), RequestStatus.class);
  }

  private static Stream<String> print(Picture picture, OptionalInt columns, Wish wish) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    new TopView(new Terminal(out, out, false, false, false), new Layout(columns), wish)
        .print(picture);
    out.flush();
    return text.toString().lines();
  }

  private static JsonNode tree(String json) throws MalformedJson {
    return Json.read(json);
  }
}
