package io.stoker.cli.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The right to run a stack on a data folder. The kernel holds it for this process and takes it back
 * at its death, so a killed {@code up} never leaves a stale one.
 */
public final class DataLock implements AutoCloseable {
  private final FileChannel channel;

  private DataLock(FileChannel channel) {
    this.channel = channel;
  }

  /** Takes the lock; empty if another process, or this one already, has it. */
  public static Optional<DataLock> tryTake(DataFolder data) throws IOException {
    FileChannel channel =
        FileChannel.open(data.lockFile(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return Optional.of(new DataLock(channel));
      }
    } catch (OverlappingFileLockException heldByThisProcess) {
      // Answered below, as if another process had it.
    }
    channel.close();
    return Optional.empty();
  }

  /** Whether a stack has it. */
  public static boolean isHeld(DataFolder data) throws IOException {
    if (Files.notExists(data.lockFile())) {
      return false;
    }
    Optional<DataLock> free = tryTake(data);
    if (free.isPresent()) {
      free.get().close();
    }
    return free.isEmpty();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
