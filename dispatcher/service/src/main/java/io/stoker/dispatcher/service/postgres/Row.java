package io.stoker.dispatcher.service.postgres;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Reads the columns of a native query's row in order. */
final class Row {
  private final Object[] columns;
  private int next;

  Row(Object[] columns) {
    this.columns = columns;
  }

  /** Whether the next column holds something. */
  boolean hasText() {
    return columns[next] != null;
  }

  String text() {
    return (String) columns[next++];
  }

  long bigint() {
    return ((Number) columns[next++]).longValue();
  }

  Long bigintOrNull() {
    Number value = (Number) columns[next++];
    return value == null ? null : value.longValue();
  }

  double number() {
    return ((Number) columns[next++]).doubleValue();
  }

  Double numberOrNull() {
    Number value = (Number) columns[next++];
    return value == null ? null : value.doubleValue();
  }

  int integer() {
    return ((Number) columns[next++]).intValue();
  }

  Integer integerOrNull() {
    Number value = (Number) columns[next++];
    return value == null ? null : value.intValue();
  }

  boolean flag() {
    return (Boolean) columns[next++];
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

  /**
   * A column of JSON that we wrote; null gives {@code otherwise}, and so does what cannot be read
   * any more, which is noted.
   */
  <T> T json(Class<T> type, T otherwise) {
    return json(this::row, text(), type, otherwise);
  }

  /** As {@link #json}, of a column that has one text in most rows, which is not read each time. */
  <T> T json(Class<T> type, T otherwise, String textOfOtherwise) {
    String text = text();
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

  /**
   * A column of JSON that nothing can stand for; null if it is.
   *
   * @throws IllegalStateException if it cannot be read
   */
  <T> T jsonInFull(Class<T> type) {
    return json(text(), type, null);
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
