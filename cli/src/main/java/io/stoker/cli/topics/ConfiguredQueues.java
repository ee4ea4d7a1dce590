package io.stoker.cli.topics;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The queues that the dispatchers of a local stack find in what it is started with. */
public final class ConfiguredQueues {
  private static final Pattern SETTING =
      Pattern.compile(
          "STOKER_QUEUES_([A-Z0-9]+)_(WEIGHT|MAX_RUNNING|MAX_QUEUED|FAIL_UNSATISFIABLE|AGING|OPEN)");

  private static final Pattern KEY = Pattern.compile("stoker\\.queues\\.\"?([^\"]+?)\"?\\.[a-z-]+");

  private ConfiguredQueues() {}

  /**
   * Their names, in order.
   *
   * @param settings by their keys
   */
  public static List<String> in(Map<String, String> environment, Map<String, String> settings) {
    return Stream.concat(
            names(SETTING, environment).map(name -> name.toLowerCase(Locale.ROOT)),
            names(KEY, settings))
        .distinct()
        .sorted()
        .toList();
  }

  private static Stream<String> names(Pattern pattern, Map<String, String> settings) {
    return settings.keySet().stream()
        .map(pattern::matcher)
        .filter(Matcher::matches)
        .map(setting -> setting.group(1));
  }
}
