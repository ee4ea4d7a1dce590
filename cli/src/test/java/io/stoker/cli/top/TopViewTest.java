package io.stoker.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

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
       "devices":["0"],"code":"GPU_IDLE","reason":"its GPU 0 has been below 5 % for 30 min","progress":{"done":3,"total":4,"message":"epoch 3"},"at":"2026-01-01T00:00:00Z"}
      """;

  @Test
  void showsDevicesWithWhatRunsOnThem() throws MalformedJson {
    String shown =
        print(
            new Picture(
                List.of(tree(GPU_HOST), tree(CPU_HOST)),
                List.of(tree("{\"queue\":\"vision\",\"queued\":1200,\"open\":2}")),
                List.of(Json.read(TRAINING.getBytes(), RequestStatus.class))));

    assertThat(shown.lines().toList())
        .containsExactly(
            "2 hosts, 1 of 2 GPUs and 1 of 8 CPU slots taken, 1,200 jobs queued, 2 placed or running",
            "",
            "HOST   STATE     GPUS TAKEN   SLOTS TAKEN    JOBS  NOTE",
            "box-1  UP        [#-] 1 of 2  [#---] 1 of 4     2",
            "box-2  CORDONED               [----] 0 of 4     0  new disk",
            "",
            "GPU      MODEL  MEMORY                                 BUSY   TEMP  POWER  STATE              JOBS",
            "box-1/0  H100   [##########----------] 40.0 of 80 GiB  93 %  61 °C  311 W  OK                 train-1",
            "box-1/1  H100   80 GiB                                                     UNHEALTHY: Xid 79",
            "",
            "QUEUE   QUEUED  PLACED OR RUNNING",
            "vision    1200                  2",
            "",
            "RUNNING  QUEUE   HOST   DEVICES  ATTEMPT  PROGRESS                             NOTE",
            "train-1  vision  box-1        0        2  [###############-----] 75 % epoch 3  GPU_IDLE: its GPU 0 has been below 5 % for 30 min");
  }

  @Test
  void aFleetWithoutGpusHasNoTableOfThem() throws MalformedJson {
    assertThat(print(new Picture(List.of(tree(CPU_HOST)), List.of(), List.of())).lines().toList())
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

    assertThat(print(new Picture(List.of(host), List.of(), List.of())).lines().skip(2).toList())
        .containsExactly(
            "HOST   STATE  SLOTS TAKEN    MEMORY PROMISED  JOBS",
            "box-3  UP     [----] 0 of 4  6 GiB of 16 GiB     1");
  }

  private static String print(Picture picture) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    new TopView(new Terminal(out, out, false, false)).print(picture);
    out.flush();
    return text.toString();
  }

  private static JsonNode tree(String json) throws MalformedJson {
    return Json.read(json);
  }
}
