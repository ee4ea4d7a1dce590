package io.stoker.common.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.RequestStatus;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every component of every message is in its schema with its type, and nothing else is. */
class SchemasMatchRecordsTest {
  private static final Set<Class<?>> INTEGERS =
      Set.of(int.class, long.class, Integer.class, Long.class);

  static Stream<Arguments> messages() {
    return Stream.of(
        Arguments.of("control", ControlMessage.class),
        Arguments.of("events", EventsRecord.class),
        Arguments.of("heartbeats", HostMessage.class),
        Arguments.of("logs", LogChunk.class),
        Arguments.of("placements", PlacementsRecord.class),
        Arguments.of("status", RequestStatus.class));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void describesTheRecord(String name, Class<?> type) {
    JsonNode schema = Schemas.text(name);
    matches(type, schema, schema, name);
  }

  private static void matches(Type type, JsonNode given, JsonNode root, String at) {
    JsonNode schema = resolved(given, root);
    if (type instanceof ParameterizedType generic) {
      boolean list = generic.getRawType() == List.class;
      Type[] of = generic.getActualTypeArguments();
      typeIs(list ? "array" : "object", schema, at);
      matches(of[of.length - 1], schema.path(list ? "items" : "additionalProperties"), root, at);
    } else if (type instanceof Class<?> plain) {
      matchesClass(plain, schema, root, at);
    }
  }

  private static void matchesClass(Class<?> type, JsonNode schema, JsonNode root, String at) {
    if (type.isRecord()) {
      matchesRecord(type, schema, root, at);
    } else if (type.isSealed()) {
      matchesSum(type, schema, root, at);
    } else if (type.isEnum()) {
      List<String> names = Arrays.stream(type.getEnumConstants()).map(Object::toString).toList();
      assertThat(texts(schema.path("enum"))).as(at).containsExactlyInAnyOrderElementsOf(names);
    } else if (INTEGERS.contains(type)) {
      typeIs("integer", schema, at);
    } else if (type == Double.class) {
      typeIs("number", schema, at);
    } else if (type == boolean.class || type == Boolean.class) {
      typeIs("boolean", schema, at);
    } else if (type == String.class) {
      typeIs("string", schema, at);
    } else {
      assertThat(type).as(at).isEqualTo(JsonNode.class);
      assertThat(schema.properties().stream().map(Map.Entry::getKey))
          .as("%s may be any JSON", at)
          .containsExactly("description");
    }
  }

  private static void matchesRecord(Class<?> type, JsonNode schema, JsonNode root, String at) {
    typeIs("object", schema, at);
    Set<String> described = new TreeSet<>();
    schema.path("properties").fieldNames().forEachRemaining(described::add);
    described.remove("type");
    Set<String> components = new TreeSet<>();
    for (Map.Entry<String, Type> component : components(type).entrySet()) {
      if (!component.getKey().equals("type")) {
        components.add(component.getKey());
      }
      String inner = at + "." + component.getKey();
      JsonNode property = schema.path("properties").path(component.getKey());
      matches(component.getValue(), property, root, inner);
      if (component.getValue() instanceof Class<?> plain && plain.isPrimitive()) {
        assertThat(texts(schema.path("required")))
            .as("%s is required", inner)
            .contains(component.getKey());
      }
    }
    assertThat(described).as(at).isEqualTo(components);
    assertThat(schema.path("additionalProperties").isMissingNode())
        .as("%s allows a newer sender's fields", at)
        .isTrue();
  }

  /** Of a record, or of the form in which it is read. */
  private static Map<String, Type> components(Class<?> type) {
    JsonDeserialize read = type.getAnnotation(JsonDeserialize.class);
    return read == null || read.builder() == Void.class
        ? Stream.of(type.getRecordComponents())
            .collect(Collectors.toMap(RecordComponent::getName, RecordComponent::getGenericType))
        : Stream.of(read.builder().getFields())
            .collect(Collectors.toMap(Field::getName, Field::getGenericType));
  }

  private static void matchesSum(Class<?> type, JsonNode schema, JsonNode root, String at) {
    JsonSubTypes.Type[] kinds = type.getAnnotation(JsonSubTypes.class).value();
    List<JsonNode> branches =
        StreamSupport.stream(schema.path("oneOf").spliterator(), false)
            .map(branch -> resolved(branch, root))
            .toList();
    assertThat(branches).as(at).hasSameSizeAs(kinds);
    for (JsonSubTypes.Type kind : kinds) {
      JsonNode branch =
          branches.stream()
              .filter(one -> one.at("/properties/type/const").asText().equals(kind.name()))
              .findFirst()
              .orElseThrow(() -> new AssertionError(at + " lacks " + kind.name()));
      assertThat(texts(branch.path("required"))).as(at).contains("type");
      matchesRecord(kind.value(), branch, root, at + "/" + kind.name());
    }
  }

  private static JsonNode resolved(JsonNode schema, JsonNode root) {
    String ref = schema.path("$ref").asText();
    return ref.isEmpty() ? schema : root.at(ref.substring(1));
  }

  private static void typeIs(String expected, JsonNode schema, String at) {
    assertThat(schema.path("type").asText()).as(at).isEqualTo(expected);
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }
}
