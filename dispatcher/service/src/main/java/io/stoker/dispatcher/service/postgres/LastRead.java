package io.stoker.dispatcher.service.postgres;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/**
 * Caches the parsed form of a column of each row: a pass reads every host, and what they have
 * hardly changes, so texts that stayed as they were are not parsed again.
 *
 * @param <T> something that nobody changes
 */
final class LastRead<T> {
  private record Known<T>(String text, T value) {}

  /** As many as there are rows. */
  private final Map<String, Known<T>> known = new ConcurrentHashMap<>();

  private final BiFunction<String, String, T> parse;

  LastRead(BiFunction<String, String, T> parse) {
    this.parse = parse;
  }

  /**
   * What a text says.
   *
   * @param row the key of its row
   */
  T of(String row, String text) {
    if (text == null) {
      return parse.apply(row, null);
    }
    Known<T> last = known.get(row);
    if (last == null || !last.text().equals(text)) {
      last = new Known<>(text, parse.apply(row, text));
      known.put(row, last);
    }
    return last.value();
  }
}
