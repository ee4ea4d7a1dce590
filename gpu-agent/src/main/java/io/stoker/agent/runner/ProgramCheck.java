package io.stoker.agent.runner;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Whether a job can be started at all, before a process is spent on it. */
final class ProgramCheck {
  private ProgramCheck() {}

  /**
   * What is wrong with it, if anything.
   *
   * @param path the job's PATH
   */
  static Optional<String> problem(List<String> command, Path workdir, String path) {
    if (command == null || command.isEmpty() || command.getFirst().isEmpty()) {
      return Optional.of("no command is given");
    }
    if (!Files.isDirectory(workdir)) {
      return Optional.of("its work folder " + workdir + " does not exist on this host");
    }
    String program = command.getFirst();
    return program.indexOf('/') >= 0
        ? unusable(program, workdir.resolve(program))
        : searched(program, workdir, path);
  }

  private static Optional<String> unusable(String program, Path file) {
    if (Files.isExecutable(file) && !Files.isDirectory(file)) {
      return Optional.empty();
    }
    String why =
        !Files.exists(file)
            ? "does not exist on this host"
            : Files.isDirectory(file) ? "is a folder" : "is not executable";
    return Optional.of("program " + program + " " + why);
  }

  private static Optional<String> searched(String program, Path workdir, String path) {
    boolean seen = false;
    for (String folder : path.split(":", -1)) {
      Path file = workdir.resolve(folder.isEmpty() ? "." : folder).resolve(program);
      if (Files.isRegularFile(file)) {
        seen = true;
        if (Files.isExecutable(file)) {
          return Optional.empty();
        }
      }
    }
    return Optional.of(
        "program "
            + program
            + (seen ? " is not executable" : " was not found on the path")
            + " ("
            + path
            + ")");
  }
}
