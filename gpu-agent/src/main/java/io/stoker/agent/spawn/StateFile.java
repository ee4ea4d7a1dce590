package io.stoker.agent.spawn;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A run's file "state", for an agent that comes later: line 1 {@code <pid> <start ticks>} or {@code
 * refused <why>}, line 2 the exit code. A line counts with its newline. It is created by one alone:
 * a launch that is asked for twice happens once.
 *
 * <p>It is not kept open: the JDK opens files so that a process started meanwhile has them too.
 */
final class StateFile {
  private final Path file;

  private StateFile(Path file) {
    this.file = file;
  }

  /**
   * Takes a run.
   *
   * @return empty if another has it
   * @throws IOException if its folder is gone
   */
  static Optional<StateFile> claim(Path folder) throws IOException {
    Path file = folder.resolve("state");
    try {
      Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE).close();
      return Optional.of(new StateFile(file));
    } catch (FileAlreadyExistsException e) {
      return Optional.empty();
    }
  }

  void line(String text) throws IOException {
    Files.writeString(file, text + "\n", StandardOpenOption.APPEND);
  }
}
