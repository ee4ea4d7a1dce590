package io.stoker.cli.stack;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines for child JVMs, on the Java runtime of this one. */
public final class JavaCommand {
  private JavaCommand() {}

  /** {@code java <flags> -jar <jar> <arguments>}. */
  public static List<String> jar(List<String> flags, Path jar, List<String> arguments) {
    List<String> command = start(flags);
    command.addAll(List.of("-jar", jar.toString()));
    command.addAll(arguments);
    return command;
  }

  /** {@code java <flags> <main> <arguments>} on a class path. */
  public static List<String> main(
      List<String> flags, List<String> classPath, String main, List<String> arguments) {
    List<String> command = start(flags);
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), main));
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

  private static List<String> start(List<String> flags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // One collector thread instead of many, and a small footprint: the machine is shared.
    command.add("-XX:+UseSerialGC");
    command.addAll(flags);
    return command;
  }
}
