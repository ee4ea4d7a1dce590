package io.stoker.agent.runner;

import io.stoker.common.security.OwnFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Folders of runs that nobody needs any more, while they are deleted on a thread of their own: a
 * job may leave millions of files, and others are not to wait until these are gone. What one agent
 * does not get done the next one does.
 */
final class GoneFolders implements AutoCloseable {
  private final Path place;
  private final RunThread thread = new RunThread("removals");

  /** Tells them apart from those that an earlier agent has left. */
  private final String prefix = System.currentTimeMillis() + "-";

  private long taken;

  /**
   * @param data the agent's data folder, absolute
   */
  GoneFolders(Path data) throws IOException {
    place = data.resolve("gone");
    // On a full disk there may be no room for it: then each is deleted where it is.
    if (place.toFile().isDirectory() || place.toFile().mkdir()) {
      OwnFiles.folder(place);
    }
    File[] left = place.toFile().listFiles();
    for (File one : left == null ? new File[0] : left) {
      thread.run(() -> delete(one.toPath()));
    }
  }

  /** Takes one out of the way, if it is there, and deletes it soon. */
  synchronized void take(Path folder) throws IOException {
    Path target = place.resolve(prefix + taken++);
    try {
      Files.move(folder, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      delete(folder); // as far as it is there
      return;
    }
    thread.run(() -> delete(target));
  }

  private static void delete(Path folder) throws IOException {
    if (!RunFolders.delete(folder.toFile())) {
      throw new IOException("run folder " + folder + " cannot be deleted");
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
