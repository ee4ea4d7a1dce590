package io.stoker.common.size;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Cuts a list where its entries become too much to be dealt with at once. */
public final class Slices {
  private Slices() {}

  /**
   * The list in its order, cut.
   *
   * @param most bytes in a slice; one entry that has more is a slice of its own
   */
  public static <T> List<List<T>> of(List<T> all, ToLongFunction<T> bytes, long most) {
    List<List<T>> slices = new ArrayList<>();
    int from = 0;
    while (from < all.size()) {
      int to = from + first(all.subList(from, all.size()), bytes, most).size();
      slices.add(all.subList(from, to));
      from = to;
    }
    return slices;
  }

  /** The first of the slices; empty for an empty list. */
  public static <T> List<T> first(List<T> all, ToLongFunction<T> bytes, long most) {
    long sum = 0;
    int n = 0;
    for (T one : all) {
      sum += bytes.applyAsLong(one);
      if (n > 0 && sum > most) {
        break;
      }
      n++;
    }
    return all.subList(0, n);
  }
}
