package io.stoker.dispatcher.service.postgres;

import io.stoker.common.json.Json;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.IntFunction;

/** A type of columns, and the array of it that the database takes values of many rows in. */
enum BatchType {
  TEXT(String[]::new, Object::toString),
  /** Text that says the value. */
  JSON(String[]::new, Json::text),
  BIGINT(Long[]::new, value -> ((Number) value).longValue()),
  INTEGER(Integer[]::new, value -> ((Number) value).intValue()),
  SMALLINT(Short[]::new, value -> ((Number) value).shortValue()),
  BOOLEAN(Boolean[]::new, value -> value),
  FLOAT8(Double[]::new, value -> ((Number) value).doubleValue());

  private final IntFunction<Object[]> array;
  private final Function<Object, Object> element;

  BatchType(IntFunction<Object[]> array, Function<Object, Object> element) {
    this.array = array;
    this.element = element;
  }

  /** By the database's name for it. */
  static BatchType of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  Object[] array(int length) {
    return array.apply(length);
  }

  /** A value, which is not null, as the array holds it. */
  Object element(Object value) {
    return element.apply(value);
  }

  /** What the database calls such an array. */
  String arrayName() {
    return (this == JSON ? TEXT : this).name().toLowerCase(Locale.ROOT) + "[]";
  }
}
