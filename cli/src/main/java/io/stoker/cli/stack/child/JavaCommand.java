package io.stoker.cli.stack.child;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Command lines for child JVMs, on the Java runtime of this one. Who starts them may add options by
 * the environment.
 */
public final class JavaCommand {
  /** The variable with more options for all of them. */
  private static final String MORE = "STOKER_SERVICE_JAVA_OPTS";

  private JavaCommand() {}

  /** {@code java <flags> -jar <jar> <arguments>}. */
  public static List<String> jar(List<String> flags, Path jar, List<String> arguments) {
    List<String> command = start(flags);
    command.addAll(List.of("-jar", jar.toString()));
    command.addAll(arguments);
    return command;
  }

  /**
   * What tells Java a class path by a file, which {@link #main} is given: two hundred jars would
   * fill the screen of whoever lists processes.
   */
  public static String classPathArgument(List<Path> jars) {
    return "-cp \"%s\"\n"
        .formatted(
            jars.stream()
                .map(jar -> jar.toString().replace("\\", "\\\\").replace("\"", "\\\""))
                .collect(Collectors.joining(File.pathSeparator)));
  }

  /**
   * {@code java <flags> @<class path> <main> <arguments>}.
   *
   * @param classPath a file that holds a {@link #classPathArgument}
   */
  public static List<String> main(
      List<String> flags, Path classPath, String main, List<String> arguments) {
    List<String> command = start(flags);
    command.addAll(List.of("@" + classPath, main));
    command.addAll(arguments);
    return command;
  }

  /** {@code java <flags> <main> <arguments>} on the class path of this process. */
  public static List<String> ofOwnClassPath(
      List<String> flags, Class<?> main, List<String> arguments) {
    List<String> command = start(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** The jars and folders on the class path of this process. */
  public static List<Path> ownClassPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .filter(Files::exists)
        .toList();
  }

  private static List<String> start(List<String> flags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(allFlags(flags));
    return command;
  }

  /** A program's own flags, and those that all of them and whoever starts them add. */
  public static List<String> allFlags(List<String> own) {
    List<String> all = new ArrayList<>();
    // One collector thread instead of many, and a small footprint: the machine is shared.
    all.add("-XX:+UseSerialGC");
    // Out of memory some threads die and others go on: whoever started it starts it again instead.
    all.add("-XX:+ExitOnOutOfMemoryError");
    all.addAll(own);
    // Last, so that they win.
    all.addAll(words(System.getenv(MORE)));
    return all;
  }

  /** Options as a variable holds them: separated by blanks, none where there is no variable. */
  static List<String> words(String options) {
    return options == null || options.isBlank()
        ? List.of()
        : List.of(options.strip().split("\\s+"));
  }
}
