package io.stoker.agent.ssh;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The script of one job: its environment, and what is run before, as and after it. */
final class JobScript {
  private static final Pattern SHELL_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private static final String CHECK =
      """
      case "$1" in
        */*)
          [ -e "$1" ] || unusable "program $1 does not exist on $node"
          [ ! -d "$1" ] || unusable "program $1 is a folder on $node"
          [ -x "$1" ] || unusable "program $1 is not executable on $node"
          ;;
        *)
          command -v "$1" >/dev/null ||
            unusable "program $1 was not found on the path of $node ($PATH)"
          ;;
      esac
      """;

  /** The limit of file locks has another letter in each shell; see {@code RunTag}. */
  private static final String TAG =
      "{ ulimit -S -w %1$d || ulimit -S -x %1$d || prlimit --pid $$ --locks=%1$d:; } 2>/dev/null\n";

  private JobScript() {}

  static String of(Order order, String mark, long tag) {
    StringBuilder text = new StringBuilder();
    text.append(TAG.formatted(tag));
    text.append("STOKER_NODE_RUN=").append(quote(mark)).append("\nexport STOKER_NODE_RUN\n");
    order
        .env()
        .forEach(
            (name, value) -> {
              if (SHELL_NAME.matcher(name).matches()) {
                text.append(name).append('=').append(quote(value));
                text.append("\nexport ").append(name).append('\n');
              }
            });
    text.append("node=").append(quote(order.node())).append("\nrun=$PWD\n");
    text.append("unusable() { printf '%s' \"$1\" >\"$run/unusable\"; exit 127; }\n");
    variable(text, "STOKER_PARAMS", "$run/" + NodeFiles.PARAMS);
    variable(text, "STOKER_DEPENDENCIES", "$run/" + NodeFiles.DEPENDENCIES);
    variable(text, "STOKER_GROUP", "$run/" + NodeFiles.GROUP);
    variable(text, "STOKER_RESULT", "$run/" + NodeFiles.RESULT);
    variable(text, "STOKER_FILES", "$run/" + NodeFiles.SCRATCH);
    String folder =
        order.workdir().map(JobScript::quote).orElse("\"$run/" + NodeFiles.SCRATCH + "\"");
    text.append("workdir=").append(folder);
    text.append(
        "\ncd \"$workdir\" 2>/dev/null || unusable \"its work folder $workdir does not exist on $node\"\n");
    order.care().preScript().ifPresent(script -> before(text, script));
    text.append("set -- ").append(words(order.command())).append('\n').append(CHECK);
    order
        .care()
        .postScript()
        .ifPresentOrElse(
            script -> after(text, order, script),
            () -> text.append("exec ").append(odd(order.env())).append("\"$@\"\n"));
    return text.toString();
  }

  private static void variable(StringBuilder text, String name, String value) {
    text.append(name).append("=\"").append(value).append("\"\nexport ").append(name).append('\n');
  }

  private static void before(StringBuilder text, String script) {
    text.append("{\n").append(script).append("\n}\nstoker_code=$?\n");
    text.append(
        "[ \"$stoker_code\" -eq 0 ] || unusable \"the pre-script failed on $node with exit code"
            + " $stoker_code\"\n");
  }

  /** A stopped job gets its post-script too, so TERM must not end this shell. */
  private static void after(StringBuilder text, Order order, String script) {
    text.append("trap : TERM\n").append(odd(order.env())).append("\"$@\"\n");
    text.append("STOKER_EXIT_CODE=$?\nexport STOKER_EXIT_CODE\n{\n").append(script);
    text.append("\n}\nexit \"$STOKER_EXIT_CODE\"\n");
  }

  /** Variables whose names no shell can export. */
  private static String odd(Map<String, String> env) {
    String odd =
        env.entrySet().stream()
            .filter(one -> !SHELL_NAME.matcher(one.getKey()).matches())
            .map(one -> quote(one.getKey() + "=" + one.getValue()))
            .collect(Collectors.joining(" "));
    return odd.isEmpty() ? "" : "env -- " + odd + " ";
  }

  private static String words(List<String> command) {
    return command.stream().map(JobScript::quote).collect(Collectors.joining(" "));
  }

  /** As one word that a shell takes as it is. */
  static String quote(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
