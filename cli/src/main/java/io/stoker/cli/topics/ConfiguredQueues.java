package io.stoker.cli.topics;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The queues that the dispatchers of a local stack find in the environment it is started with. */
public final class ConfiguredQueues {
  private static final Pattern SETTING =
      Pattern.compile(
          "STOKER_QUEUES_([A-Z0-9]+)_(WEIGHT|MAX_RUNNING|MAX_QUEUED|FAIL_UNSATISFIABLE|AGING|OPEN)");

  private ConfiguredQueues() {}

  /** Their names, in order. */
  public static List<String> in(Map<String, String> environment) {
    return environment.keySet().stream()
        .map(SETTING::matcher)
        .filter(Matcher::matches)
        .map(setting -> setting.group(1).toLowerCase(Locale.ROOT))
        .distinct()
        .sorted()
        .toList();
  }
}
