package io.stoker.common.request;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Finds the name that somebody may have meant who wrote one that does not exist. */
public final class Nearest {
  /** Letters to change, at most: what is further off is something else. */
  private static final int FURTHEST = 2;

  private static final int LONGEST = 64;

  private Nearest() {}

  /** Such as {@code (did you mean command?)}; empty if nothing is near. */
  public static String hint(String name, Collection<String> known) {
    if (name.length() > LONGEST) {
      return "";
    }
    String plain = plain(name);
    return known.stream()
        .filter(one -> distance(plain, plain(one)) <= Math.min(FURTHEST, one.length() / 3))
        .min(Comparator.comparingInt(one -> distance(plain, plain(one))))
        .map(" (did you mean %s?)"::formatted)
        .orElse("");
  }

  /** {@code depends_on} and {@code dependson} are {@code dependsOn}. */
  private static String plain(String name) {
    return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
  }

  /** Letters to insert, to leave out, to change, or to swap with their neighbours. */
  static int distance(String from, String to) {
    int[][] least = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        if (i == 0 || j == 0) {
          least[i][j] = i + j;
          continue;
        }
        int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
        least[i][j] =
            Math.min(Math.min(least[i - 1][j], least[i][j - 1]) + 1, least[i - 1][j - 1] + change);
        boolean swapped =
            i > 1
                && j > 1
                && from.charAt(i - 1) == to.charAt(j - 2)
                && from.charAt(i - 2) == to.charAt(j - 1);
        if (swapped) {
          least[i][j] = Math.min(least[i][j], least[i - 2][j - 2] + 1);
        }
      }
    }
    return least[from.length()][to.length()];
  }
}
