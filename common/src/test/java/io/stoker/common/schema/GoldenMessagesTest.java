package io.stoker.common.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.RequestArray;
import io.stoker.common.request.RequestParser;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What any version wrote stays readable, loses nothing on the way, and is valid. */
class GoldenMessagesTest {
  private static final Map<String, Class<?>> TYPES =
      Map.of(
          "control", ControlMessage.class,
          "events", EventsRecord.class,
          "heartbeats", HostMessage.class,
          "logs", LogChunk.class,
          "placements", PlacementsRecord.class,
          "status", RequestStatus.class);

  /** Fields whose content is the user's, not ours. */
  private static final Set<String> FREE =
      Set.of("params", "result", "progress", "env", "labels", "scores", "parameters", "secrets");

  static Stream<Golden> all() {
    return Golden.all().stream();
  }

  static Stream<Golden> messages() {
    return all().filter(golden -> TYPES.containsKey(golden.schema()));
  }

  static Stream<Golden> requests() {
    return Golden.of("request").stream();
  }

  @ParameterizedTest
  @MethodSource("all")
  void isValid(Golden golden) {
    assertThat(Schemas.problems(Schemas.compiled(golden.schema()), golden.json())).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("requests")
  void isAnAcceptedRequest(Golden golden) throws Exception {
    assertThat(RequestParser.parse(golden.json(), Optional.empty()).id())
        .isEqualTo(golden.json().get("id").textValue());
  }

  static Stream<Golden> arraysOfRequests() {
    return Golden.of("requests").stream();
  }

  @ParameterizedTest
  @MethodSource("arraysOfRequests")
  void areAcceptedRequests(Golden golden) throws Exception {
    for (byte[] element : RequestArray.split(Json.bytes(golden.json()), Optional.empty())) {
      assertThat(RequestParser.parse(element, Optional.empty()).id()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void isReadAndWrittenWithoutLoss(Golden golden) throws Exception {
    Class<?> type = TYPES.get(golden.schema());
    Object message = Json.read(golden.json(), type);
    byte[] written = Json.bytes(message);
    assertThat(CanonicalJson.text(Json.read(written))).isEqualTo(CanonicalJson.text(golden.json()));
    assertThat(CanonicalJson.text(Json.tree(message))).isEqualTo(CanonicalJson.text(golden.json()));
    assertThat((Object) Json.read(written, type)).isEqualTo(message);
    assertThat(Schemas.problems(Schemas.compiled(golden.schema()), Json.read(written))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("messages")
  void aNewerSendersFieldsAreIgnoredAndValid(Golden golden) throws Exception {
    Class<?> type = TYPES.get(golden.schema());
    JsonNode newer = golden.json().deepCopy();
    addUnknown(newer);
    assertThat(newer).isNotEqualTo(golden.json());
    assertThat((Object) Json.read(Json.bytes(newer), type))
        .isEqualTo(Json.read(golden.json(), type));
    assertThat(Schemas.problems(Schemas.compiled(golden.schema()), newer)).isEmpty();
  }

  @Test
  void thereIsAnExampleOfEveryKindOfMessage() throws Exception {
    Set<Class<?>> seen = new HashSet<>();
    Set<AttemptEvent.Type> events = new HashSet<>();
    for (Golden golden : messages().toList()) {
      Object message = Json.read(golden.json(), TYPES.get(golden.schema()));
      seen.add(message.getClass());
      if (message instanceof PlacementsRecord placements) {
        placements.messages().forEach(told -> seen.add(told.getClass()));
      }
      if (message instanceof EventsRecord told) {
        told.events().forEach(event -> events.add(event.type()));
      }
    }
    for (Class<?> sum : List.of(ToAgent.class, HostMessage.class, ControlMessage.class)) {
      assertThat(seen).contains(sum.getPermittedSubclasses());
    }
    assertThat(seen).contains(RequestStatus.class, LogChunk.class);
    assertThat(events).containsExactlyInAnyOrder(AttemptEvent.Type.values());
  }

  /** As the dispatcher judges them, which has dead letters of them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\": \"cancel\", \"id\": \"c\", \"request\": \"a b\"}",
        "{\"type\": \"forget\", \"id\": \"c\", \"request\": \"é\"}",
        "{\"type\": \"retry\", \"id\": \"c\", \"request\": \"a/b\"}",
        "{\"type\": \"priority\", \"id\": \"c\", \"request\": \"\", \"priority\": 1}",
        "{\"type\": \"finish\", \"id\": \"c\", \"request\": \"a\", \"failed\": \"\"}",
        "{\"type\": \"finish\", \"id\": \"c\", \"request\": \"a\", \"failed\": \"salt\","
            + " \"result\": 1}",
        "{\"type\": \"drain\", \"id\": \"c\", \"host\": \"h\", \"within\": \"soon\"}",
        "{\"type\": \"rotate-key\", \"id\": \"c\", \"host\": \"h\", \"generation\": 1,"
            + " \"overlap\": \"1 hour\"}",
        "{\"type\": \"group\", \"id\": \"c\", \"group\": \"g\", \"action\": \"create\","
            + " \"experiment\": {\"resultLabels\": [\"loss\", \"loss\"]}}"
      })
  void whatNobodyMayAskForIsNotValid(String message) throws Exception {
    assertThat(Schemas.problems(Schemas.compiled("control"), Json.read(message))).isNotEmpty();
  }

  /** The schema asks for what the dispatcher asks for, of whatever build its sender is. */
  @ParameterizedTest
  @CsvSource({
    "heartbeat, /held",
    "heartbeat, /reserved",
    "hello,     /held",
    "hello,     /resources",
    "hello,     /resources/devices",
    "inventory, /held",
    "inventory, /resources",
    "inventory, /resources/devices",
  })
  void aHostsMessageThatLacksWhatIsReadIsNotValid(String type, String lacking) throws Exception {
    ObjectNode message =
        Golden.of("heartbeats").stream()
            .map(Golden::json)
            .filter(json -> json.path("type").asText().equals(type))
            .findFirst()
            .orElseThrow()
            .deepCopy();
    assertThat(Json.read(message, HostMessage.class).lacksSomething()).isFalse();
    JsonPointer field = JsonPointer.compile(lacking);

    ((ObjectNode) message.at(field.head())).remove(field.last().getMatchingProperty());

    assertThat(Json.read(message, HostMessage.class).lacksSomething()).isTrue();
    assertThat(Schemas.problems(Schemas.compiled("heartbeats"), message)).isNotEmpty();
  }

  /** Readers by REST get it among the chunks of the topic. */
  @Test
  void whatADispatcherSaysOfAnOutputIsValid() throws Exception {
    LogChunk remark = LogChunk.remark("j-1", 2, 1_700_000_000_000L, "stoker: lines are left out");
    assertThat(Schemas.problems(Schemas.compiled("logs"), Json.tree(remark))).isEmpty();
    assertThat(Json.read(Json.bytes(remark), LogChunk.class)).isEqualTo(remark);
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void everyFieldStandsInAnExample(String schema) {
    Set<String> shown = new HashSet<>();
    Golden.of(schema).forEach(golden -> addNames(golden.json(), shown));
    Set<String> described = new HashSet<>();
    Schemas.text(schema)
        .findValues("properties")
        .forEach(properties -> properties.fieldNames().forEachRemaining(described::add));
    assertThat(shown).containsAll(described);
  }

  static Stream<String> schemas() {
    return TYPES.keySet().stream().sorted();
  }

  private static void addNames(JsonNode node, Set<String> names) {
    node.fieldNames().forEachRemaining(names::add);
    node.forEach(inner -> addNames(inner, names));
  }

  @Test
  void everySchemaHasExamples() {
    assertThat(all().map(Golden::schema).collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(Schemas.NAMES);
  }

  private static void addUnknown(JsonNode node) {
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      if (!FREE.contains(field.getKey())) {
        addUnknown(field.getValue());
      }
    }
    if (node.isArray()) {
      node.forEach(GoldenMessagesTest::addUnknown);
    }
    if (node instanceof ObjectNode object) {
      object.putObject("fromTheFuture").put("x", 1);
    }
  }
}
