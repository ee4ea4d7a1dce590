package io.stoker.common.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.type.WritableTypeId;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.util.NameTransformer;
import java.io.IOException;
import java.util.List;

/**
 * Writes a message of which there are thousands a second, as Jackson would, without its calls by
 * reflection: they take most of the time where only the JVM's first compiler runs. Components that
 * are null are left out.
 */
public abstract class RecordWriter<T> extends StdSerializer<T> {
  protected RecordWriter(Class<T> type) {
    super(type);
  }

  /** Writes each component, in order. */
  protected abstract void components(T value, JsonGenerator to, SerializerProvider with)
      throws IOException;

  @Override
  public final void serialize(T value, JsonGenerator to, SerializerProvider with)
      throws IOException {
    to.writeStartObject(value);
    components(value, to, with);
    to.writeEndObject();
  }

  @Override
  public final void serializeWithType(
      T value, JsonGenerator to, SerializerProvider with, TypeSerializer type) throws IOException {
    WritableTypeId id = type.typeId(value, JsonToken.START_OBJECT);
    type.writeTypePrefix(to, id);
    components(value, to, with);
    type.writeTypeSuffix(to, id);
  }

  /** Writes the components among those of a record that has this one unwrapped in it. */
  @Override
  public final JsonSerializer<T> unwrappingSerializer(NameTransformer names) {
    if (names != NameTransformer.NOP) {
      throw new IllegalArgumentException(handledType() + " is unwrapped by its own names alone");
    }
    return new Unwrapped<>(this);
  }

  private static final class Unwrapped<T> extends StdSerializer<T> {
    private static final long serialVersionUID = 1L;
    private final transient RecordWriter<T> writer;

    Unwrapped(RecordWriter<T> writer) {
      super(writer.handledType());
      this.writer = writer;
    }

    @Override
    public boolean isUnwrappingSerializer() {
      return true;
    }

    @Override
    public void serialize(T value, JsonGenerator to, SerializerProvider with) throws IOException {
      writer.components(value, to, with);
    }
  }

  protected static void text(JsonGenerator to, String name, String value) throws IOException {
    if (value != null) {
      to.writeStringField(name, value);
    }
  }

  /** An enum by its name. */
  protected static void name(JsonGenerator to, String name, Enum<?> value) throws IOException {
    if (value != null) {
      to.writeStringField(name, value.name());
    }
  }

  protected static void number(JsonGenerator to, String name, Long value) throws IOException {
    if (value != null) {
      to.writeNumberField(name, value.longValue());
    }
  }

  protected static void number(JsonGenerator to, String name, Integer value) throws IOException {
    if (value != null) {
      to.writeNumberField(name, value.intValue());
    }
  }

  protected static void flag(JsonGenerator to, String name, Boolean value) throws IOException {
    if (value != null) {
      to.writeBooleanField(name, value.booleanValue());
    }
  }

  protected static void texts(JsonGenerator to, String name, List<String> values)
      throws IOException {
    if (values != null) {
      to.writeArrayFieldStart(name);
      for (String value : values) {
        to.writeString(value);
      }
      to.writeEndArray();
    }
  }

  protected static void node(JsonGenerator to, String name, JsonNode value, SerializerProvider with)
      throws IOException {
    if (value != null) {
      to.writeFieldName(name);
      value.serialize(to, with);
    }
  }

  /** What is rare, as Jackson writes it. */
  protected static void other(JsonGenerator to, String name, Object value, SerializerProvider with)
      throws IOException {
    if (value != null) {
      with.defaultSerializeField(name, value, to);
    }
  }
}
