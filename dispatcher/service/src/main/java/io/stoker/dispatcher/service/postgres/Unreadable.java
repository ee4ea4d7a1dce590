package io.stoker.dispatcher.service.postgres;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A stored value that cannot be read any more, since a rule was tightened, or a newer build wrote
 * it. Where something can stand for it the row is read without it, so that it holds up no other,
 * keeps what it holds and can still be ended; that is noted here, to be shown.
 */
public final class Unreadable {
  private static final int MOST = 1_000;
  private static final Map<String, RuntimeException> NOTED = new LinkedHashMap<>();

  private Unreadable() {}

  /** Something of a row, and why it cannot be read. */
  public record Found(String what, RuntimeException why) {}

  static void note(String row, String what, RuntimeException why) {
    synchronized (NOTED) {
      if (NOTED.size() < MOST) {
        NOTED.put(what + " of " + row, why);
      }
    }
  }

  /** What was found since this was last asked. */
  public static List<Found> found() {
    synchronized (NOTED) {
      List<Found> found = new ArrayList<>();
      NOTED.forEach((what, why) -> found.add(new Found(what, why)));
      NOTED.clear();
      return found;
    }
  }
}
