package io.stoker.common.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.message.Workload.Share;
import io.stoker.common.request.RunnerType;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Placements are on the topic, and in journals, as builds before wrote and read them. */
class PlaceWireTest {
  private static final Gpus GPUS = new Gpus(2, OptionalLong.of(64), true, Optional.of("gpu-1"));
  private static final Program PROGRAM =
      new Program(
          List.of("run", "it"),
          Map.of("A", "b"),
          Optional.of("/srv"),
          true,
          OptionalLong.of(99),
          Claim.NONE);
  private static final Program CLAIMING =
      new Program(
          PROGRAM.command(),
          PROGRAM.env(),
          PROGRAM.workdir(),
          true,
          PROGRAM.memory(),
          new Claim(
              Optional.of("train"),
              Optional.of("research"),
              Optional.of("ann"),
              Map.of("T", "hf"),
              true));
  private static final Share SHARE = new Share(GPUS, 3, List.of("gpu-2"));

  private static final String HEAD =
      "{\"type\":\"place\",\"job\":\"j\",\"attempt\":1,\"token\":\"dA==\",\"notAfter\":5,\"request\":\"r\",";
  private static final String RUN =
      "\"command\":[\"run\",\"it\"],\"params\":{\"x\":1},\"env\":{\"A\":\"b\"},\"workdir\":\"/srv\",";
  private static final String ON_GPUS =
      "\"gpus\":2,\"gpuMemory\":64,\"shared\":true,\"cpuSlots\":3,\"device\":\"gpu-1\",\"avoid\":[\"gpu-2\"],";
  private static final String ELSEWHERE =
      "\"gpus\":0,\"gpuMemory\":64,\"shared\":true,\"cpuSlots\":0,\"device\":\"gpu-1\",\"avoid\":[],";
  private static final String NOTHING = "\"gpus\":0,\"shared\":false,\"cpuSlots\":0,\"avoid\":[],";
  private static final String POOLED = "\"command\":[],\"params\":{\"x\":1},\"env\":{},";
  private static final String CLAIM =
      "\"kind\":\"train\",\"queue\":\"research\",\"sentBy\":\"ann\",\"secrets\":{\"T\":\"hf\"},\"network\":\"none\",";
  private static final String REST =
      "\"timeoutMs\":7,\"group\":\"g\",\"dependencies\":[{\"id\":\"d\"}],";
  private static final String TAIL = "\"gated\":true,\"memory\":99,\"priority\":-4";
  private static final String GANG = ",\"gang\":{\"rank\":1,\"size\":2,\"address\":\"h:1\"}";

  static Stream<Arguments> placements() {
    return Stream.of(
        Arguments.of(
            new Workload.Process(PROGRAM, SHARE), HEAD + RUN + ON_GPUS + REST + TAIL + GANG + "}"),
        Arguments.of(
            new Workload.Process(PROGRAM, SHARE, Optional.of(new Workload.LookAhead("q"))),
            HEAD + RUN + ON_GPUS + REST + TAIL + GANG + ",\"lookAhead\":{\"queue\":\"q\"}}"),
        Arguments.of(
            new Workload.Staged(PROGRAM, SHARE),
            HEAD + RUN + ON_GPUS + REST + "\"staged\":true," + TAIL + GANG + "}"),
        Arguments.of(
            new Workload.Process(CLAIMING, SHARE),
            HEAD + RUN + CLAIM + ON_GPUS + REST + TAIL + GANG + "}"),
        Arguments.of(
            new Workload.Container("i:1", PROGRAM, SHARE),
            HEAD
                + RUN
                + ON_GPUS
                + REST
                + TAIL
                + GANG
                + ",\"runner\":\"container\",\"image\":\"i:1\"}"),
        Arguments.of(
            new Workload.Remote("ssh", PROGRAM, GPUS),
            HEAD + RUN + ELSEWHERE + REST + TAIL + GANG + ",\"runner\":\"ssh\",\"nodeGpus\":2}"),
        Arguments.of(
            new Workload.Remote("of-a-later-build", PROGRAM, Gpus.NONE),
            HEAD + RUN + NOTHING + REST + TAIL + GANG + ",\"runner\":\"of-a-later-build\"}"),
        Arguments.of(
            new Workload.Passive(PROGRAM),
            HEAD + RUN + NOTHING + REST + TAIL + GANG + ",\"runner\":\"passive\"}"),
        Arguments.of(
            new Workload.PoolTask("p", Optional.empty()),
            HEAD + POOLED + NOTHING + REST + "\"priority\":-4,\"pool\":\"p\"" + GANG + "}"),
        Arguments.of(
            new Workload.PoolTask("p", Optional.of("q")),
            HEAD
                + POOLED
                + "\"queue\":\"q\","
                + NOTHING
                + REST
                + "\"priority\":-4,\"pool\":\"p\""
                + GANG
                + "}"));
  }

  @ParameterizedTest
  @MethodSource("placements")
  void place_ofEachWorkload_isWrittenAndReadAsBefore(Workload workload, String text)
      throws Exception {
    Place place =
        new Place(
            new ToAgent.Grant("j", 1, "dA==", 5),
            new ToAgent.Given(
                "r",
                Json.tree(Map.of("x", 1)),
                Optional.of("g"),
                List.of(new ToAgent.DependencyResult("d", null, null))),
            7L,
            -4,
            new ToAgent.Gang(1, 2, "h:1"),
            workload);

    String written = Json.text(new PlacementsRecord("h", 1, List.of(place)));

    assertThat(written).contains("\"messages\":[" + text + "]");
    assertThat(Json.read(text.getBytes(UTF_8), ToAgent.class)).isEqualTo(place);
  }

  @Test
  void place_withTheLeastThatIsSaid_isRead() throws Exception {
    String least = "{\"type\":\"place\",\"job\":\"j\",\"attempt\":1,\"params\":null}";

    Place place = (Place) Json.read(least.getBytes(UTF_8), ToAgent.class);

    assertThat(place.workload()).isEqualTo(new Workload.Process(Program.NONE, Share.NONE));
    assertThat(Json.text(place))
        .isEqualTo(
            "{\"type\":\"place\",\"job\":\"j\",\"attempt\":1,\"notAfter\":0,\"command\":[],\"env\":{},"
                + NOTHING
                + "\"dependencies\":[]}");
  }

  @Test
  void runnersWithWorkloadsOfTheirOwn_areNamedAsRequestsNameThem() {
    assertThat(Workload.Container.TYPE).isEqualTo(RunnerType.CONTAINER.key());
    assertThat(Workload.Passive.TYPE).isEqualTo(RunnerType.PASSIVE.key());
  }

  /** A field that the writer forgets would be lost on every way. */
  @Test
  void everyField_isWrittenForSomeWorkload() throws Exception {
    Set<String> written = new HashSet<>();
    for (Arguments one : placements().toList()) {
      Json.read((String) one.get()[1]).fieldNames().forEachRemaining(written::add);
    }
    written.remove("type");

    assertThat(written)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(PlaceForm.class.getFields()).map(Field::getName).toList());
  }
}
