package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.ledger.Rows.Change;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A column that a {@link Batch} writes.
 *
 * @param cast what its contents are, of {@code u.name}
 * @param update what they are after an update
 * @param text of a value that is not null
 */
record BatchColumn<R>(
    String name,
    String cast,
    String update,
    Function<R, Object> value,
    Function<Object, String> text) {
  private String textOf(R row) {
    Object found = value.apply(row);
    return found == null ? null : text.apply(found);
  }

  /** Of each row; null where there is no value. */
  String[] textsOf(List<R> rows) {
    String[] texts = new String[rows.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = textOf(rows.get(i));
    }
    return texts;
  }

  boolean isGivenIn(List<R> rows) {
    return rows.stream().anyMatch(row -> value.apply(row) != null);
  }

  /** The parameter that its texts are, as an expression. */
  String array(String prefix) {
    return "cast(:" + prefix + "_" + name + " as text[])";
  }

  boolean differs(Change<R> change) {
    return !Objects.equals(value.apply(change.before()), value.apply(change.after()));
  }
}
