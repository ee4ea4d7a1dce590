package io.stoker.agent.config;

import io.smallrye.config.common.utils.StringUtil;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Settings of which each is a variable of jobs, by its name. A mapping reads the name of one that
 * is given by the environment as a key, {@code hf.token}; it is meant as it is written there.
 */
public final class VariableNames {
  private VariableNames() {}

  /**
   * The variables by the names that they were given.
   *
   * @param key below which they are
   * @param read as the mapping has them
   * @param environment the agent's
   */
  public static Map<String, String> asWritten(
      String key, Map<String, String> read, Map<String, String> environment) {
    String prefix =
        StringUtil.replaceNonAlphanumericByUnderscores(key + ".").toUpperCase(Locale.ROOT);
    Map<String, String> variables = new HashMap<>(read);
    environment.forEach(
        (variable, value) -> {
          if (variable.startsWith(prefix) && variable.length() > prefix.length()) {
            String asKey = StringUtil.toLowerCaseAndDotted(variable).substring(prefix.length());
            variables.remove(asKey);
            variables.remove(asKey.replace("\"", ""));
            variables.putIfAbsent(variable.substring(prefix.length()), value);
          }
        });
    return Map.copyOf(variables);
  }
}
