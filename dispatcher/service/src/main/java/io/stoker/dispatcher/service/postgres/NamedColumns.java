package io.stoker.dispatcher.service.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Stands for a row of which nothing is read: whoever reads one names the columns of its table.
 *
 * @param <R> what a row is read as
 */
final class NamedColumns<R> extends Row {
  private final String table;

  /** Names of all columns, in order. */
  final List<String> read = new ArrayList<>();

  /** Those that somebody writes, in order. */
  final List<BatchColumn<R>> written = new ArrayList<>();

  /** The next column, null before it is named. */
  private String name;

  /** What is written there, null if nothing is. */
  private Function<R, ?> value;

  NamedColumns(String table) {
    super(new Object[0]);
    this.table = table;
  }

  @Override
  Row at(String column) {
    read.add(column);
    name = column;
    value = null;
    return this;
  }

  @Override
  @SuppressWarnings("unchecked") // all rows of a table are one type
  <T> Row at(String column, Function<T, ?> of) {
    at(column);
    value = (Function<R, ?>) of;
    return this;
  }

  @Override
  <T, V> Row at(String column, V nothing, Function<T, V> of) {
    return at(column, (T row) -> nothing.equals(of.apply(row)) ? null : of.apply(row));
  }

  /**
   * Nothing of its type.
   *
   * @throws IllegalStateException if the column was not named
   */
  @Override
  Object next(BatchType type) {
    if (name == null) {
      throw new IllegalStateException("a column of %s is read without its name".formatted(table));
    }
    if (value != null) {
      written.add(new BatchColumn<>(name, type, value));
    }
    name = null;
    return switch (type) {
      case TEXT, JSON -> null;
      case BOOLEAN -> false;
      default -> 0;
    };
  }

  /** Nothing, which a column of its own kind may hold: what it is read as must be one there is. */
  @Override
  Number nullable(BatchType type) {
    next(type);
    return null;
  }
}
