package io.stoker.cli.command;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.stoker.cli.outcome.CliException;
import io.stoker.common.text.FileTrouble;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Lets one process at a time read a file, change it and write it. */
final class Alone {
  private static final long PATIENCE = Duration.ofSeconds(30).toNanos();
  private static final long LOOK_MILLIS = 10;

  private Alone() {}

  /**
   * Does it as soon as nobody else is at it, under a lock on a file beside it, which is gone then.
   *
   * @throws CliException with exit code 1 if it cannot be locked, or others are at it for long
   */
  static <T> T at(Path file, Supplier<T> change) {
    Path lock = file.toAbsolutePath().resolveSibling("." + file.getFileName() + ".lock");
    long start = System.nanoTime();
    try {
      while (System.nanoTime() - start < PATIENCE) {
        Optional<Object> before = key(lock);
        try (FileChannel channel = FileChannel.open(lock, CREATE, WRITE)) {
          // A file that others delete meanwhile could be locked, too, beside the next one.
          if (isLocked(channel) && before.isPresent() && before.equals(key(lock))) {
            try {
              return change.get();
            } finally {
              Files.deleteIfExists(lock);
            }
          }
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
    } catch (IOException e) {
      throw CliException.failed("%s cannot be locked: %s".formatted(file, FileTrouble.text(e)), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw CliException.failed("others are changing %s, and do not come to an end".formatted(file));
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // another thread of this process has it
    }
  }

  private static Optional<Object> key(Path file) throws IOException {
    try {
      return Optional.of(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
