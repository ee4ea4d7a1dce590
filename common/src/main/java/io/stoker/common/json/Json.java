package io.stoker.common.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.POJONode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * The one way JSON is read and written.
 *
 * <p>Reading is strict: UTF-8 only, no duplicate keys, nothing after the value, at most {@value
 * #MAX_NESTING} levels, and in a message of ours {@value #MESSAGE_NESTING}, since it has values of
 * others within its own levels. A number is written as it was read: 120.0 stays 120.0. Unknown
 * properties of our own messages are ignored, so that neighbouring versions understand each other;
 * a request's unknown fields are refused by its parser.
 */
public final class Json {
  /** Deepest nesting of objects and arrays that is read. */
  public static final int MAX_NESTING = 64;

  /** Deepest nesting in a message of ours. */
  static final int MESSAGE_NESTING = MAX_NESTING + 16;

  /** What the library says of where it has its text from. */
  private static final Pattern SOURCE = Pattern.compile(" \\(start marker at \\[[^\\]]*\\]\\)");

  private static final ObjectMapper MAPPER = mapper(MAX_NESTING);
  private static final ObjectMapper MESSAGES = mapper(MESSAGE_NESTING);

  private Json() {}

  private static ObjectMapper mapper(int nesting) {
    return JsonMapper.builder(factory(nesting))
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
        .defaultPropertyInclusion(
            JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
        .build();
  }

  private static JsonFactory factory(int nesting) {
    return new JsonFactoryBuilder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(nesting).build())
        .build();
  }

  /**
   * Reads one JSON value.
   *
   * @throws MalformedJson if the bytes are not strict UTF-8 or not exactly one JSON value
   */
  public static JsonNode read(byte[] bytes) throws MalformedJson {
    return read(text(bytes));
  }

  /** As {@link #read(byte[])}, of text. */
  public static JsonNode read(String text) throws MalformedJson {
    return tree(MAPPER, text);
  }

  /**
   * Reads the tree of one of our own messages.
   *
   * @throws MalformedJson if the bytes are not strict UTF-8 or not exactly one JSON value
   */
  public static JsonNode readMessage(byte[] bytes) throws MalformedJson {
    return tree(MESSAGES, text(bytes));
  }

  private static JsonNode tree(ObjectMapper mapper, String text) throws MalformedJson {
    try {
      JsonNode node = mapper.readTree(text);
      if (node == null || node.isMissingNode()) {
        throw new MalformedJson("empty: expected a JSON value");
      }
      return node;
    } catch (JsonProcessingException | NumberFormatException e) {
      throw new MalformedJson(describe(e));
    }
  }

  /**
   * Reads one of our own messages.
   *
   * @throws MalformedJson if the bytes are not such a message
   */
  public static <T> T read(byte[] bytes, Class<T> type) throws MalformedJson {
    try {
      T value = MESSAGES.readValue(text(bytes), type);
      if (value == null) {
        throw new MalformedJson(new Mismatch("", "null", "an object"));
      }
      return value;
    } catch (MismatchedInputException e) {
      throw new MalformedJson(Mismatch.of(e, readMessage(bytes)));
    } catch (JsonProcessingException | NumberFormatException e) {
      throw new MalformedJson(describe(e));
    }
  }

  /**
   * Reads one of our own messages from its tree.
   *
   * @throws MalformedJson if the tree is not such a message
   */
  public static <T> T read(JsonNode tree, Class<T> type) throws MalformedJson {
    try {
      T value = MAPPER.treeToValue(tree, type);
      if (value == null) {
        throw new MalformedJson(new Mismatch("", "null", "an object"));
      }
      return value;
    } catch (MismatchedInputException e) {
      throw new MalformedJson(Mismatch.of(e, tree));
    } catch (JsonProcessingException | NumberFormatException e) {
      throw new MalformedJson(describe(e));
    }
  }

  /** Writes a value as UTF-8 bytes; absent (null) properties are left out. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot be written as JSON: " + value.getClass(), e);
    }
  }

  /** Writes a value as text; absent (null) properties are left out. */
  public static String text(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot be written as JSON: " + value.getClass(), e);
    }
  }

  /** Whether a text is one JSON value, found out without a tree of it. */
  public static boolean isJson(String text) {
    try (JsonParser parser = MAPPER.createParser(text)) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      return parser.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The number that an object has as a field, found out without a tree of it.
   *
   * @param object the text of a JSON object
   * @return empty if the field is missing or is no number
   */
  public static OptionalDouble numberOf(String object, String field) {
    if (!object.contains(field)) {
      return OptionalDouble.empty();
    }
    try (JsonParser parser = MAPPER.createParser(object)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean found = parser.currentName().equals(field);
        boolean number = parser.nextToken().isNumeric();
        if (found) {
          return number ? OptionalDouble.of(parser.getDoubleValue()) : OptionalDouble.empty();
        }
        parser.skipChildren();
      }
      return OptionalDouble.empty();
    } catch (IOException e) {
      throw new IllegalArgumentException("not a JSON object", e);
    }
  }

  /**
   * The text that an object has as a field, as far as it can be read.
   *
   * @param object the text of a JSON object, or of what begins as one
   * @return empty if the field is missing so far, or is no text
   */
  public static Optional<String> textOf(String object, String field) {
    try (JsonParser parser = MAPPER.createParser(object)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean found = parser.currentName().equals(field);
        boolean text = parser.nextToken() == JsonToken.VALUE_STRING;
        if (found) {
          return text ? Optional.of(parser.getText()) : Optional.empty();
        }
        parser.skipChildren();
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * JSON that was written before, to be written again as it is: no tree is made of it.
   *
   * @param text one JSON value, which is not looked at
   */
  public static JsonNode raw(String text) {
    return JsonNodeFactory.instance.rawValueNode(new RawValue(text));
  }

  /** Characters of what {@link #raw} was given; 0 for anything else. */
  public static int rawLength(JsonNode node) {
    return node instanceof POJONode held && held.getPojo() instanceof RawValue raw
        ? String.valueOf(raw.rawValue()).length()
        : 0;
  }

  /** The tree of a value, as it would be written. */
  public static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  private static String text(byte[] bytes) throws MalformedJson {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedJson("not valid UTF-8");
    }
  }

  /** Numbers with exponents beyond 32 bits come as NumberFormatException, which knows no place. */
  private static String describe(Exception e) {
    if (!(e instanceof JsonProcessingException problem)) {
      return e.getMessage();
    }
    JsonLocation at = problem.getLocation();
    String where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
    return SOURCE.matcher(problem.getOriginalMessage()).replaceAll("") + where;
  }
}
