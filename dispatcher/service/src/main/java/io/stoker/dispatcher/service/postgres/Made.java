package io.stoker.dispatcher.service.postgres;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Keeps what was made of something, as long as there are not too many of them: then it is made each
 * time.
 *
 * @param <K> of what it is made
 * @param <V> what is made, the same whoever makes it
 */
final class Made<K, V> {
  private final Map<K, V> kept = new ConcurrentHashMap<>();
  private final int most;

  /**
   * @param most that are kept
   */
  Made(int most) {
    this.most = most;
  }

  V of(K key, Function<K, V> make) {
    V known = kept.get(key);
    if (known != null) {
      return known;
    }
    return kept.size() < most ? kept.computeIfAbsent(key, make) : make.apply(key);
  }
}
