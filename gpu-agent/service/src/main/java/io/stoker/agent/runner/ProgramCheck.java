package io.stoker.agent.runner;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Checks that a job can be started at all, before a process is spent on it. */
final class ProgramCheck {
  private ProgramCheck() {}

  /** What came of it. */
  sealed interface Answer {}

  /**
   * It can be started.
   *
   * @param program absolute
   */
  record Found(Path program) implements Answer {}

  /** It cannot. */
  record Unusable(String why) implements Answer {}

  /**
   * Looks for the program.
   *
   * @param path the job's PATH
   */
  static Answer of(List<String> command, Path workdir, String path) {
    if (command == null || command.isEmpty() || command.getFirst().isEmpty()) {
      return new Unusable("no command is given");
    }
    if (!Files.isDirectory(workdir)) {
      return new Unusable("its work folder " + workdir + " does not exist on this host");
    }
    String program = command.getFirst();
    return program.indexOf('/') >= 0
        ? named(program, workdir.resolve(program))
        : searched(program, workdir, path);
  }

  private static Answer named(String program, Path file) {
    if (Files.isExecutable(file) && !Files.isDirectory(file)) {
      return new Found(file);
    }
    String why =
        !Files.exists(file)
            ? "does not exist on this host"
            : Files.isDirectory(file) ? "is a folder" : "is not executable";
    return new Unusable("program " + program + " " + why);
  }

  private static Answer searched(String program, Path workdir, String path) {
    boolean seen = false;
    for (String folder : path.split(":", -1)) {
      Path file = workdir.resolve(folder.isEmpty() ? "." : folder).resolve(program);
      if (Files.isRegularFile(file)) {
        seen = true;
        if (Files.isExecutable(file)) {
          return new Found(file);
        }
      }
    }
    return new Unusable(
        "program "
            + program
            + (seen ? " is not executable" : " was not found on the path")
            + " ("
            + path
            + ")");
  }
}
