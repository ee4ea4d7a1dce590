package io.stoker.common.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.erdtman.jcs.NumberToJSON;

/**
 * Canonical JSON as of RFC 8785: keys sorted by UTF-16 code units, no white space, numbers as
 * ECMAScript writes them. Two values mean the same if and only if their canonical texts are equal.
 *
 * <p>It works on the tree that the parser already built, because it is on the path of every
 * request. Integers beyond ±2⁵³ would merge with their neighbours: {@link JsonRules} refuses them
 * before anything is canonicalised.
 */
public final class CanonicalJson {
  private static final long MAX_EXACT = 1L << 53;

  /** The order of strings is that of UTF-16 code units, as the RFC wants. */
  private static final Comparator<Map.Entry<String, JsonNode>> BY_NAME = Map.Entry.comparingByKey();

  private CanonicalJson() {}

  /** {@link #text} as UTF-8. */
  public static byte[] bytes(JsonNode node) {
    return text(node).getBytes(StandardCharsets.UTF_8);
  }

  /** {@link #bytes} of an object without one of its fields, which stays as it is. */
  public static byte[] bytesWithout(JsonNode node, String field) {
    if (!node.has(field)) {
      return bytes(node);
    }
    List<Map.Entry<String, JsonNode>> fields = new ArrayList<>(node.properties());
    fields.removeIf(one -> one.getKey().equals(field));
    StringBuilder out = new StringBuilder(256);
    writeObject(fields, out);
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The canonical text.
   *
   * @throws IllegalArgumentException for a number that no finite double holds, and for text with a
   *     lone surrogate, which has no UTF-8
   */
  public static String text(JsonNode node) {
    StringBuilder out = new StringBuilder(256);
    write(node, out);
    return out.toString();
  }

  private static void write(JsonNode node, StringBuilder out) {
    switch (node.getNodeType()) {
      case OBJECT -> writeObject(new ArrayList<>(node.properties()), out);
      case ARRAY -> writeArray(node, out);
      case STRING -> writeString(node.textValue(), out);
      case NUMBER -> writeNumber(node, out);
      case BOOLEAN -> out.append(node.booleanValue());
      case NULL -> out.append("null");
      default -> throw new IllegalArgumentException("no JSON value: " + node.getNodeType());
    }
  }

  private static void writeObject(List<Map.Entry<String, JsonNode>> fields, StringBuilder out) {
    fields.sort(BY_NAME);
    out.append('{');
    for (int i = 0; i < fields.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      writeString(fields.get(i).getKey(), out);
      out.append(':');
      write(fields.get(i).getValue(), out);
    }
    out.append('}');
  }

  private static void writeArray(JsonNode node, StringBuilder out) {
    out.append('[');
    for (int i = 0; i < node.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      write(node.get(i), out);
    }
    out.append(']');
  }

  private static void writeNumber(JsonNode node, StringBuilder out) {
    if (node.isIntegralNumber()
        && node.canConvertToLong()
        && node.longValue() >= -MAX_EXACT
        && node.longValue() <= MAX_EXACT) {
      out.append(node.longValue());
      return;
    }
    try {
      out.append(NumberToJSON.serializeNumber(node.doubleValue()));
    } catch (IOException e) {
      throw new IllegalArgumentException("no finite number: " + node, e);
    }
  }

  private static void writeString(String text, StringBuilder out) {
    if (JsonRules.loneSurrogate(text).isPresent()) {
      throw new IllegalArgumentException("text with a lone surrogate has no canonical form");
    }
    out.append('"');
    int plain = 0; // from here on nothing has been written: most texts are one such run
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c == '"' || c == '\\') {
        out.append(text, plain, i);
        writeEscaped(c, out);
        plain = i + 1;
      }
    }
    out.append(text, plain, text.length()).append('"');
  }

  private static void writeEscaped(char c, StringBuilder out) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        out.append("\\u00").append(Character.forDigit(c >> 4, 16));
        out.append(Character.forDigit(c & 0xF, 16));
      }
    }
  }
}
