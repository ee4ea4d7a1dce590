package io.stoker.agent.runner;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Empties a folder in which a job's user may write, while others of that user run. Each folder is
 * opened once, without following links, and what is in it is deleted from there: a link that
 * somebody puts in the place of a folder meanwhile leads nowhere.
 *
 * <p>Folders in folders are moved up first, under numbers: however deep they are, no more than two
 * are open at once, and nothing is remembered of them but how many they are.
 */
final class JobsFolder {
  private static final Logger LOG = Logger.getLogger(JobsFolder.class);

  private final SecureDirectoryStream<Path> top;

  /** No name that a job has given begins so. */
  private final String prefix = UUID.randomUUID() + "-";

  private long moved;

  private JobsFolder(SecureDirectoryStream<Path> top) {
    this.top = top;
  }

  /** Empties it; false if something is left in it. */
  static boolean empty(Path folder) {
    try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
      return inside instanceof SecureDirectoryStream<Path> secure && new JobsFolder(secure).empty();
    } catch (IOException | DirectoryIteratorException e) {
      return false;
    }
  }

  private boolean empty() {
    boolean all = true;
    for (Path one : top) {
      all &= delete(one.getFileName());
    }
    for (long n = 0; n < moved; n++) {
      all &= delete(numbered(n));
    }
    return all;
  }

  private Path numbered(long n) {
    return Path.of(prefix + n);
  }

  private boolean delete(Path name) {
    try {
      if (isFolder(top, name)) {
        flatten(name);
        top.deleteDirectory(name);
      } else {
        top.deleteFile(name);
      }
      return true;
    } catch (NoSuchFileException e) {
      return true; // moved up while the top was being read, which has shown it already
    } catch (IOException | DirectoryIteratorException e) {
      return false;
    }
  }

  /** Empties a folder, as far as that can be done: what is a folder in it comes to the top. */
  private void flatten(Path name) throws IOException {
    try (SecureDirectoryStream<Path> inside =
        top.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
      for (Path path : inside) {
        Path one = path.getFileName();
        try {
          if (isFolder(inside, one)) {
            deleteOrMoveUp(inside, one);
          } else {
            inside.deleteFile(one);
          }
        } catch (IOException e) {
          LOG.debugf(e, "%s is left", path);
        }
      }
    }
  }

  /** An empty one is not moved, which takes the right to write in it. */
  private void deleteOrMoveUp(SecureDirectoryStream<Path> folder, Path name) throws IOException {
    try {
      folder.deleteDirectory(name);
    } catch (DirectoryNotEmptyException e) {
      folder.move(name, top, numbered(moved++));
    }
  }

  private static boolean isFolder(SecureDirectoryStream<Path> folder, Path name)
      throws IOException {
    return folder
        .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .readAttributes()
        .isDirectory();
  }
}
