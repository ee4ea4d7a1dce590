package io.stoker.common.json;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import io.stoker.common.text.PlainText;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A value of JSON that is not what was expected in its place, in words for people.
 *
 * @param field where it is, such as {@code steps[2].name}; empty for the whole
 * @param value what it is
 * @param expected what it should be
 */
public record Mismatch(String field, String value, String expected) {
  private static final int LONGEST = 100;

  /** What tells our messages apart. */
  private static final String TYPE = "type";

  static Mismatch of(MismatchedInputException problem, JsonNode whole) {
    StringBuilder field = new StringBuilder();
    JsonNode value = whole;
    for (Reference step : problem.getPath()) {
      if (step.getFieldName() == null) {
        field.append('[').append(step.getIndex()).append(']');
        value = value.path(step.getIndex());
      } else {
        field.append(field.isEmpty() ? "" : ".").append(step.getFieldName());
        value = value.path(step.getFieldName());
      }
    }
    if (problem instanceof InvalidTypeIdException unknown) {
      String type = field + (field.isEmpty() ? "" : ".") + TYPE;
      return new Mismatch(
          type, words(value.path(TYPE)), oneOf(types(unknown.getBaseType().getRawClass())));
    }
    return new Mismatch(field.toString(), words(value), expected(problem.getTargetType()));
  }

  private static Stream<String> types(Class<?> message) {
    JsonSubTypes known = message.getAnnotation(JsonSubTypes.class);
    return known == null ? Stream.of() : Arrays.stream(known.value()).map(JsonSubTypes.Type::name);
  }

  private static String oneOf(Stream<String> names) {
    return names.collect(Collectors.joining(", ", "one of ", ""));
  }

  String sentence() {
    return (field.isEmpty() ? "" : field + ": ") + value + ", expected " + expected;
  }

  private static String words(JsonNode value) {
    return switch (value.getNodeType()) {
      case ARRAY -> "a list";
      case OBJECT -> "an object";
      case MISSING -> "nothing";
      default -> PlainText.of(value.asText(), LONGEST);
    };
  }

  private static String expected(Class<?> type) {
    if (type == null) {
      return "another value";
    }
    if (type.isEnum()) {
      return oneOf(Arrays.stream(type.getEnumConstants()).map(String::valueOf));
    }
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    if (type == Integer.class || type == int.class || type == Long.class || type == long.class) {
      return "an integer";
    }
    if (type == Double.class || type == double.class || Number.class.isAssignableFrom(type)) {
      return "a number";
    }
    if (CharSequence.class.isAssignableFrom(type)) {
      return "text";
    }
    return Collection.class.isAssignableFrom(type) || type.isArray() ? "a list" : "an object";
  }
}
