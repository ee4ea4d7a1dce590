package io.stoker.agent.ssh;

import java.util.regex.Pattern;

/** Names in a run's folder on its node. */
final class NodeFiles {
  static final String PARAMS = "params.json";
  static final String DEPENDENCIES = "dependencies.json";
  static final String GROUP = "group.json";
  static final String RESULT = "result.json";
  static final String SCRATCH = "work";

  private static final Pattern SAFE = Pattern.compile("/?[A-Za-z0-9._/:-]+");

  private NodeFiles() {}

  /**
   * A name that every shell takes as it is.
   *
   * @throws IllegalArgumentException if it is none
   */
  static String name(String name) {
    if (!SAFE.matcher(name).matches() || name.startsWith("-")) {
      throw new IllegalArgumentException(
          "'%s' cannot be a name on a node: expected letters, digits and . _ : / -"
              .formatted(name));
    }
    return name;
  }
}
