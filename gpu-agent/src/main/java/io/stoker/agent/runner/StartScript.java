package io.stoker.agent.runner;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The shell text that a wrapper's child reads and becomes the job by: work folder, environment,
 * then {@code exec} into a session of its own.
 */
final class StartScript {
  private static final Pattern SHELL_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** Names that mean something to a shell, and could keep it from getting to its last line. */
  private static final Set<String> SHELLS_OWN =
      Set.of(
          "IFS", "OPTIND", "LINENO", "PPID", "PATH", "PWD", "OLDPWD", "ENV", "PS1", "PS2", "PS4");

  private StartScript() {}

  /**
   * @param setsid absolute path of the program that makes a session
   * @param env absolute path of the program that sets variables which no shell could
   */
  static String of(
      String setsid,
      String env,
      Path workdir,
      Map<String, String> variables,
      List<String> command) {
    StringBuilder text = new StringBuilder(1024);
    text.append("cd ").append(quote(workdir.toString())).append(" || exit 126\n");
    List<String> exec = new ArrayList<>(List.of(setsid));
    List<String> odd = new ArrayList<>();
    variables.forEach(
        (name, value) -> {
          if (SHELL_NAME.matcher(name).matches() && !SHELLS_OWN.contains(name)) {
            text.append("export ").append(name).append('=').append(quote(value)).append('\n');
          } else {
            odd.add(name + "=" + value);
          }
        });
    if (!odd.isEmpty()) {
      exec.add(env);
      exec.addAll(odd);
    }
    exec.addAll(command);
    text.append("exec");
    exec.forEach(word -> text.append(' ').append(quote(word)));
    return text.append('\n').toString();
  }

  static String quote(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
