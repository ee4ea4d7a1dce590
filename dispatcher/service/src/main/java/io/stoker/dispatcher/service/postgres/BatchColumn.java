package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.model.IdentityMap.Change;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A column that a {@link Batch} writes.
 *
 * @param type of the values that are sent
 * @param content what its contents are, of {@code u.name}
 * @param update what they are after an update
 */
record BatchColumn<R>(
    String name, BatchType type, String content, String update, Function<R, ?> value) {
  BatchColumn(String name, BatchType type, Function<R, ?> value) {
    this(name, type, "u." + name, "u." + name, value);
  }

  /** The same, which an update leaves as it is where there is no value for it. */
  BatchColumn<R> kept() {
    String kept = "coalesce(%s, t.%s)".formatted(content, name);
    return new BatchColumn<>(name, type, content, kept, value);
  }

  /** Of each row; null where there is no value. */
  Object[] valuesOf(List<R> rows) {
    Object[] values = type.array(rows.size());
    for (int i = 0; i < values.length; i++) {
      Object found = value.apply(rows.get(i));
      values[i] = found == null ? null : type.element(found);
    }
    return values;
  }

  boolean isGivenIn(List<R> rows) {
    for (R row : rows) {
      if (value.apply(row) != null) {
        return true;
      }
    }
    return false;
  }

  /** What the parameter is called that its values are, in a statement of this name. */
  String parameter(String statement) {
    return statement + "_" + name;
  }

  /** The parameter that its values are, as an expression. */
  String array(String statement) {
    return "cast(:" + parameter(statement) + " as " + type.arrayName() + ")";
  }

  boolean differs(Change<R> change) {
    return !Objects.equals(value.apply(change.before()), value.apply(change.after()));
  }
}
