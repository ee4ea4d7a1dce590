package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Reads the columns of a native query's row in order.
 *
 * <p>Whoever reads a table's rows for its {@link Batch} says first which column is next. By that
 * the batch learns once what the columns are; where a row is read it says nothing.
 */
class Row {
  private final Object[] columns;
  private int next;

  Row(Object[] columns) {
    this.columns = columns;
  }

  /**
   * Names the next column.
   *
   * @param value what is written there of a row
   */
  <R> Row at(String name, Function<R, ?> value) {
    return this;
  }

  /**
   * As {@link #at(String, Function)}.
   *
   * @param nothing what null stands for
   */
  <R, T> Row at(String name, T nothing, Function<R, T> value) {
    return this;
  }

  /** Names the next column, which nobody writes. */
  Row at(String name) {
    return this;
  }

  /** What the next column holds. */
  Object next(BatchType type) {
    return columns[next++];
  }

  /** The number that the next column holds, null if it holds none. */
  Number nullable(BatchType type) {
    return (Number) next(type);
  }

  /** Whether the next column holds something. */
  boolean hasText() {
    return columns[next] != null;
  }

  String text() {
    return (String) next(BatchType.TEXT);
  }

  long bigint() {
    return ((Number) next(BatchType.BIGINT)).longValue();
  }

  Long bigintOrNull() {
    Number value = nullable(BatchType.BIGINT);
    return value == null ? null : value.longValue();
  }

  double number() {
    return ((Number) next(BatchType.FLOAT8)).doubleValue();
  }

  Double numberOrNull() {
    Number value = nullable(BatchType.FLOAT8);
    return value == null ? null : value.doubleValue();
  }

  int smallint() {
    return ((Number) next(BatchType.SMALLINT)).intValue();
  }

  int integer() {
    return ((Number) next(BatchType.INTEGER)).intValue();
  }

  Integer integerOrNull() {
    Number value = nullable(BatchType.INTEGER);
    return value == null ? null : value.intValue();
  }

  boolean flag() {
    return (Boolean) next(BatchType.BOOLEAN);
  }

  <E extends Enum<E>> E constant(Class<E> type) {
    String name = text();
    return name == null ? null : Enum.valueOf(type, name);
  }

  /** As {@link #constant}; null for one that only a newer build knows. */
  <E extends Enum<E>> E knownConstant(Class<E> type) {
    String name = text();
    try {
      return name == null ? null : Enum.valueOf(type, name);
    } catch (IllegalArgumentException unknown) {
      Unreadable.note(row(), type.getSimpleName(), unknown);
      return null;
    }
  }

  private String json() {
    return (String) next(BatchType.JSON);
  }

  /**
   * A column of JSON that we wrote; null gives {@code otherwise}, and so does what cannot be read
   * any more, which is noted.
   */
  <T> T json(Class<T> type, T otherwise) {
    return json(this::row, json(), type, otherwise);
  }

  /** As {@link #json}, of a column that has one text in most rows, which is not read each time. */
  <T> T json(Class<T> type, T otherwise, String textOfOtherwise) {
    String text = json();
    return textOfOtherwise.equals(text) ? otherwise : json(this::row, text, type, otherwise);
  }

  /**
   * What such a column's text says.
   *
   * @param row names the row where the text cannot be read
   */
  static <T> T json(Supplier<String> row, String text, Class<T> type, T otherwise) {
    try {
      return json(text, type, otherwise);
    } catch (RuntimeException unreadable) {
      Unreadable.note(row.get(), type.getSimpleName(), unreadable);
      return otherwise;
    }
  }

  /** A column of JSON that is an array; null gives no entries. */
  <T> List<T> list(Function<JsonNode, T> entry) {
    List<T> entries = new ArrayList<>();
    JsonNode array = json(JsonNode.class, null);
    if (array != null) {
      array.forEach(one -> entries.add(entry.apply(one)));
    }
    return entries;
  }

  /**
   * A column of JSON that nothing can stand for; null if it is.
   *
   * @throws IllegalStateException if it cannot be read
   */
  <T> T jsonInFull(Class<T> type) {
    return json(json(), type, null);
  }

  /**
   * The text of a column of JSON; null if it is.
   *
   * @throws IllegalStateException if it is no JSON
   */
  String jsonText() {
    String text = text();
    if (text != null && !Json.isJson(text)) {
      throw new IllegalStateException("stored JSON cannot be read, of " + row());
    }
    return text;
  }

  /** As {@link #jsonText}; null for what cannot be read any more, which is noted. */
  String readableJsonText() {
    try {
      return jsonText();
    } catch (IllegalStateException unreadable) {
      Unreadable.note(row(), "JSON", unreadable);
      return null;
    }
  }

  /** The row's first text, which is its key or the begin of it. */
  private String row() {
    return Stream.of(columns)
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .findFirst()
        .orElse("a row");
  }

  private static <T> T json(String json, Class<T> type, T otherwise) {
    if (json == null) {
      return otherwise;
    }
    try {
      return Json.read(json.getBytes(StandardCharsets.UTF_8), type);
    } catch (MalformedJson e) {
      throw new IllegalStateException("stored JSON cannot be read: " + json, e);
    }
  }
}
