package io.stoker.common.security;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Folders and files for their owner alone: mode 0700 and 0600, also of what an earlier build made
 * wider. On a file system without such modes they are made as it makes them.
 */
public final class OwnFiles {
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> PASSED =
      PosixFilePermissions.fromString("rwx--x---");
  private static final Set<PosixFilePermission> PASSED_BY_ALL =
      PosixFilePermissions.fromString("rwx--x--x");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Path SELF = Path.of("/proc/self");
  private static final int STICKY = 01000;

  private OwnFiles() {}

  /** Makes a folder and those above it, or narrows one that is there. */
  public static Path folder(Path folder) throws IOException {
    Files.createDirectories(folder);
    narrow(folder, FOLDER);
    return folder;
  }

  /** The same, but that members of a group may pass it, to what they know the name of. */
  public static void folder(Path folder, int gid) throws IOException {
    if (posix(folder) && ours(folder)) {
      Files.setAttribute(folder, "unix:gid", gid); // first: who passes now is never shut out
      narrow(folder, PASSED);
    }
  }

  /** The same for everybody, where several users of no common group are to pass it. */
  public static void passedByAll(Path folder) throws IOException {
    narrow(folder, PASSED_BY_ALL);
  }

  /** Gives a file to its owner alone. */
  public static void file(Path file) throws IOException {
    narrow(file, FILE);
  }

  /** Narrows the files in a folder; links are left alone, and so are folders. */
  public static void files(Path folder) throws IOException {
    for (Path each : inside(folder)) {
      if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
        file(each);
      }
    }
  }

  public static List<Path> inside(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  /** Opens a file; one that this makes is its owner's alone. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return posix(file)
        ? FileChannel.open(file, Set.of(options), PosixFilePermissions.asFileAttribute(FILE))
        : FileChannel.open(file, options);
  }

  /** By which a folder is made so from the beginning. */
  public static FileAttribute<?>[] ofFolder(Path folder) {
    return posix(folder)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(FOLDER)}
        : new FileAttribute<?>[0];
  }

  /**
   * Gives this mode to what has another. What belongs to somebody else is left alone, and so is a
   * folder that all users share, as {@code /tmp} is.
   */
  private static void narrow(Path path, Set<PosixFilePermission> mode) throws IOException {
    if (posix(path) && ours(path) && !Files.getPosixFilePermissions(path).equals(mode)) {
      Files.setPosixFilePermissions(path, mode);
    }
  }

  private static boolean ours(Path path) throws IOException {
    int self = (Integer) Files.getAttribute(SELF, "unix:uid");
    int owner = (Integer) Files.getAttribute(path, "unix:uid");
    int mode = (Integer) Files.getAttribute(path, "unix:mode");
    return (self == 0 || self == owner) && (mode & STICKY) == 0;
  }

  private static boolean posix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix");
  }
}
