package io.stoker.common.message;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.fixture.APlace;
import io.stoker.common.json.Json;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A component that its writer forgets would be lost on every way. */
class RecordWritersTest {
  private static final Map<Class<?>, Object> SAMPLES =
      Map.ofEntries(
          Map.entry(String.class, "text \u2028 \""),
          Map.entry(int.class, 7),
          Map.entry(Integer.class, 8),
          Map.entry(long.class, 1L << 50),
          Map.entry(Long.class, 1L << 51),
          Map.entry(boolean.class, true),
          Map.entry(Boolean.class, false),
          Map.entry(Map.class, Map.of("NAME", "value")),
          Map.entry(JsonNode.class, Json.tree(Map.of("is", List.of(1, 2.5)))),
          Map.entry(AttemptEvent.Type.class, AttemptEvent.Type.ENDED),
          Map.entry(AttemptEvent.Outcome.class, AttemptEvent.Outcome.FAILED),
          Map.entry(AttemptEvent.Warning.class, AttemptEvent.Warning.DISK),
          Map.entry(FailureCategory.class, FailureCategory.GPU_OOM),
          Map.entry(Double.class, 0.1),
          Map.entry(RequestState.class, RequestState.RUNNING),
          Map.entry(Code.class, Code.SHARED_FAILURE),
          Map.entry(RequestStatus.AnsweredBy.class, new RequestStatus.AnsweredBy("r", "j")));

  private record Beside(@JsonUnwrapped RequestStatus status, String user) {}

  @Test
  void aStatusIsWrittenAmongTheFieldsOfWhatHoldsItUnwrapped() throws Exception {
    RequestStatus status = (RequestStatus) full(RequestStatus.class);
    JsonNode alone = Json.tree(status);

    JsonNode written = Json.tree(new Beside(status, "ada"));

    assertThat(written.path("user").asText()).isEqualTo("ada");
    assertThat(written).hasSize(alone.size() + 1);
    assertThat(written.path("id")).isEqualTo(alone.path("id"));
  }

  @ParameterizedTest
  @ValueSource(classes = {AttemptEvent.class, AttemptEvent.Usage.class, RequestStatus.class})
  void everyComponentIsWrittenAsItIsRead(Class<? extends Record> type) throws Exception {
    Record full = full(type);

    JsonNode written = Json.tree(holding(full)).findValue(type.getSimpleName());

    Set<String> names = new HashSet<>();
    written.fieldNames().forEachRemaining(names::add);
    names.remove("type");
    Set<String> wanted = new HashSet<>();
    Stream.of(type.getRecordComponents()).map(RecordComponent::getName).forEach(wanted::add);
    wanted.remove("type");
    assertThat(names).isEqualTo(wanted);
    assertThat((Object) Json.read(Json.bytes(full), type)).isEqualTo(full);
  }

  @Test
  void whatIsNullIsLeftOut() {
    AttemptEvent.Usage usage = new AttemptEvent.Usage(1L, null, null, null);
    AttemptEvent event = AttemptEvent.of("job", 1).seq(2).at(3).usage(usage).build();

    assertThat(Json.text(event))
        .isEqualTo("{\"job\":\"job\",\"attempt\":1,\"seq\":2,\"at\":3,\"usage\":{\"wallMs\":1}}");
  }

  @Test
  void aPlacementSaysWhatItIs() {
    PlacementsRecord record = new PlacementsRecord("host", 1, List.of(APlace.aPlace("j").build()));

    assertThat(Json.tree(record).path("messages").path(0).path("type").asText()).isEqualTo("place");
  }

  /** A usage is written as part of an event. */
  private static Map<String, Object> holding(Record full) throws Exception {
    return full instanceof AttemptEvent.Usage
        ? Map.of("event", Map.of("Usage", Json.tree(full(AttemptEvent.class)).get("usage")))
        : Map.of(full.getClass().getSimpleName(), full);
  }

  private static <T extends Record> T full(Class<T> type) throws Exception {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = sample(components[i]);
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    var constructor = type.getDeclaredConstructor(types);
    return constructor.newInstance(values);
  }

  private static Object sample(RecordComponent component) throws Exception {
    if (component.getType() == AttemptEvent.Usage.class) {
      return full(AttemptEvent.Usage.class);
    }
    if (component.getName().equals("dependencies")) {
      return List.of(new ToAgent.DependencyResult("id", null, null));
    }
    if (component.getName().equals("members")) {
      return List.of(new RequestStatus.Member(0, "host", List.of("gpu")));
    }
    if (component.getName().equals("scores")) {
      return Map.of("f1", 0.25);
    }
    Object sample =
        component.getType() == List.class ? List.of("a", "b") : SAMPLES.get(component.getType());
    assertThat(sample).describedAs("a sample of " + component).isNotNull();
    return sample;
  }
}
