package io.stoker.cli.config;

import io.stoker.cli.local.LastStart;
import io.stoker.common.text.Secrets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

/** Lists settings that differ from before, for people. */
public final class Changes {
  private static final String NONE = "not set";

  private Changes() {}

  /** A line each, such as {@code stoker.lease.duration: 30s → 20s}; secrets are hidden. */
  public static List<String> between(LastStart before, LastStart now) {
    List<String> lines = new ArrayList<>();
    add(lines, "--dispatchers", before.dispatchers(), now.dispatchers());
    add(lines, "--hosts", before.hosts(), now.hosts());
    add(lines, "--gpus", before.gpus(), now.gpus());
    TreeSet<String> keys = new TreeSet<>(before.settings().keySet());
    keys.addAll(now.settings().keySet());
    for (String key : keys) {
      String was = before.settings().get(key);
      String is = now.settings().get(key);
      if (!Objects.equals(was, is)) {
        lines.add("%s: %s → %s".formatted(key, shown(key, was), shown(key, is)));
      }
    }
    return lines;
  }

  private static void add(List<String> lines, String option, int was, int is) {
    if (was != is) {
      lines.add("%s: %d → %d".formatted(option, was, is));
    }
  }

  private static String shown(String key, String value) {
    if (value == null) {
      return NONE;
    }
    return value.isEmpty() ? "empty" : Secrets.shown(key, value);
  }
}
