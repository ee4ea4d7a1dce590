package io.stoker.cli.stack.child;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;

/** A folder of files unpacked from the class path, once, for all stacks that share a cache. */
public final class Unpacked {
  /** Fills an empty folder. */
  @FunctionalInterface
  public interface Filler {
    void fill(Path folder) throws IOException;
  }

  private Unpacked() {}

  /**
   * The folder, filled now if it is not there. It appears whole: a killed unpacking leaves nothing
   * under its name, and of two at once either one will do.
   */
  public static Path folder(Path folder, Filler filler) throws IOException {
    if (Files.isDirectory(folder)) {
      return folder;
    }
    Files.createDirectories(folder.getParent());
    Path partial = Files.createTempDirectory(folder.getParent(), ".unpacking-");
    try {
      filler.fill(partial);
      Files.move(partial, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      // Somebody else was quicker: systems report the folder in the way each by another error.
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    } finally {
      delete(partial);
    }
    return folder;
  }

  /**
   * Removes a file or a folder with all that is in it; links are removed, not followed. Nothing
   * happens if it is not there, and others may remove it at the same time.
   */
  public static void delete(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    Files.walkFileTree(
        path,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path gone, IOException problem)
              throws IOException {
            if (problem instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw problem;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, IOException problem)
              throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
