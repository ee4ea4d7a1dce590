package io.stoker.agent.runner;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;

/**
 * Empties a folder in which a job's user may write, while others of that user run. Each folder is
 * opened once, without following links, and what is in it is deleted from there: a link that
 * somebody puts in the place of a folder meanwhile leads nowhere.
 */
final class JobsFolder {
  private JobsFolder() {}

  /** Empties it; false if something is left in it. */
  static boolean empty(Path folder) {
    try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
      return inside instanceof SecureDirectoryStream<Path> secure && empty(secure);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean empty(SecureDirectoryStream<Path> folder) {
    boolean all = true;
    for (Path one : folder) {
      all &= delete(folder, one.getFileName());
    }
    return all;
  }

  private static boolean delete(SecureDirectoryStream<Path> folder, Path name) {
    try {
      boolean isFolder =
          folder
              .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
              .readAttributes()
              .isDirectory();
      if (!isFolder) {
        folder.deleteFile(name);
        return true;
      }
      try (SecureDirectoryStream<Path> inside =
          folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
        empty(inside);
      }
      folder.deleteDirectory(name);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
