package io.stoker.agent.runner;

import io.stoker.agent.spawn.Failure;
import io.stoker.agent.spawn.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What a job of another user does only once it is that user, since until then its process is
 * root's: it takes the variables by which loaders and shells go, which would make root load a
 * library of the request's, and enters a folder that the request names, which root could enter
 * where the user cannot.
 */
final class FirstSteps {
  /**
   * Those that glibc takes from nobody who gains rights ({@code unsecvars.h}), and those by which a
   * shell runs something or reads a script otherwise; a name that is none in a shell may be a
   * function of one.
   */
  private static final Pattern HEEDED =
      Pattern.compile(
          "(?:LD_|GLIBC_|GCONV_|GETCONF_|MALLOC_|RES_|RESOLV_|NIS_|BASH|SHELLOPTS|IFS|ENV$|PS\\d|"
              + "CDPATH|LOCPATH|NLSPATH|HOSTALIASES|LOCALDOMAIN|TZDIR|LIBMOUNT_).*"
              + "|.*[^A-Za-z0-9_].*");

  private static final String ENV = "/usr/bin/env";
  private static final String SHELL = "/bin/sh";
  private static final String ENTER =
      "cd -- \"$1\" 2>/dev/null || { echo \"${0}as $2, who cannot enter its work folder $1\" >&2;"
          + " exit 126; }; shift 2; exec \"$@\"";

  private FirstSteps() {}

  /**
   * The same order with these steps before its program.
   *
   * @param user for people
   * @param named whether its request names its work folder
   */
  static Order of(Order own, String user, boolean named) {
    Map<String, String> heeded = new TreeMap<>();
    List<String> environment = new ArrayList<>();
    for (String variable : own.environment()) {
      String name = variable.substring(0, variable.indexOf('='));
      if (HEEDED.matcher(name).matches()) {
        heeded.put(name, variable);
      } else {
        environment.add(variable);
      }
    }
    if (heeded.isEmpty() && !named) {
      return own;
    }
    List<String> words = new ArrayList<>();
    if (!heeded.isEmpty()) {
      words.addAll(List.of(ENV, "--"));
      words.addAll(heeded.values());
    }
    // After env always: it would take a program with = in its path for one more variable.
    String folder = named ? own.workdir() : ".";
    words.addAll(List.of(SHELL, "-c", ENTER, Failure.MARK, folder, user));
    return new Order(
            own.run(),
            own.program(),
            named ? "/" : own.workdir(),
            own.told(),
            own.arguments(),
            environment,
            own.cpus())
        .behind(words.getFirst(), words);
  }
}
