package io.stoker.agent.spawn;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A run's file "state", for an agent that comes later: line 1 {@code <pid> <start ticks>} or {@code
 * refused <why>}, line 2 the exit code, line 3 {@code kept} if all that the run wrote in its folder
 * is on the disk. A line counts with its newline.
 *
 * <p>Whoever renames the run's file "unclaimed" to it has taken the run, and no other can: a launch
 * that is asked for twice happens once.
 *
 * <p>It is not kept open: the JDK opens files so that a process started meanwhile has them too.
 */
public final class StateFile {
  public static final String NAME = "state";
  public static final String UNCLAIMED = "unclaimed";
  public static final String KEPT = "kept";

  /** In a run's folder: whoever has taken the run and not begun it is not to begin it any more. */
  public static final String GIVEN_UP = "given-up";

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
  public static Optional<StateFile> claim(Path folder) throws IOException {
    Path file = folder.resolve(NAME);
    try {
      Files.move(folder.resolve(UNCLAIMED), file, StandardCopyOption.ATOMIC_MOVE);
      return Optional.of(new StateFile(file));
    } catch (NoSuchFileException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /** Takes a run of which there was nothing. Empty if another has it. */
  public static Optional<StateFile> create(Path folder) throws IOException {
    try {
      return Optional.of(new StateFile(Files.createFile(folder.resolve(NAME))));
    } catch (FileAlreadyExistsException e) {
      return Optional.empty();
    }
  }

  /** Whether an agent waits for its run no more. */
  boolean givenUp() {
    return Files.exists(file.resolveSibling(GIVEN_UP));
  }

  /** Forces what its run has written in its folder to the disk, and notes that. */
  void keep() throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(file.getParent())) {
      for (Path one : all) {
        if (Files.isRegularFile(one, LinkOption.NOFOLLOW_LINKS)) {
          force(one);
        }
      }
    }
    force(file.getParent());
    line(KEPT);
    force(file);
  }

  private static void force(Path path) throws IOException {
    try (FileChannel open = FileChannel.open(path, StandardOpenOption.READ)) {
      open.force(true);
    }
  }

  public void line(String text) throws IOException {
    Files.writeString(file, text + "\n", StandardOpenOption.APPEND);
  }
}
