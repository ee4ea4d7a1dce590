package io.stoker.agent.runner;

import io.stoker.common.security.OwnFiles;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Folders of ended runs, emptied for those that come. To make and delete six files a run is what an
 * agent with short jobs would do most: ext4 does not give an inode again for a minute after its
 * deletion, and looks through all those of its group for each new file.
 *
 * <p>Only for runs of which it is certain that no process is left: none can write into the next
 * one's output. What its owner, mode or links tell apart from a fresh one is not kept.
 */
final class SpareFolders {
  static final int MOST = 64;

  /** Files in a folder that is worth to be emptied; the runner's thread waits for it. */
  private static final int FULL = 64;

  private static final Set<String> FILES =
      Set.of(RunFolders.STDOUT, RunFolders.STDERR, RunFolders.UNCLAIMED);

  /**
   * What a job is given in a file is written over what the one before was given: a file that is
   * emptied and filled again ext4 writes to the disk at once.
   */
  private static final Set<String> GIVEN = Set.of(RunFolders.PARAMS, RunFolders.GROUP);

  private static final String ATTRIBUTES = "unix:mode,nlink,uid,size";

  /** Of a mode: what kind of file it is, and that it is a folder. */
  private static final int KIND = 0170000;

  private static final int FOLDER = 0040000;

  private final Path place;
  private final Map<String, Object> freshFile;
  private final Map<String, Object> freshFolder;
  private final Deque<Spare> spares = new ArrayDeque<>();
  private long made;

  /**
   * One that waits.
   *
   * @param names of what is in it
   */
  private record Spare(Path folder, Set<String> names) {}

  /**
   * @param data the agent's data folder
   * @param file one that was made just as those of a run are
   */
  SpareFolders(Path data, Path file) throws IOException {
    place = data.resolve("spare");
    // The folder itself stays: on a full disk there may be no room for another.
    File[] before = place.toFile().listFiles();
    for (File one : before == null ? new File[0] : before) {
      RunFolders.delete(one);
    }
    freshFile = attributes(file);
    freshFolder =
        place.toFile().isDirectory() || place.toFile().mkdir()
            ? attributes(OwnFiles.folder(place))
            : Map.of();
  }

  /**
   * Moves one to where it is wanted.
   *
   * @return the names of what is in it, empty if there is none; what the job before was given is in
   *     there still
   * @throws IOException if something is in its place; it is there for the next call then
   */
  Optional<Set<String>> take(Path wanted) throws IOException {
    Spare spare = spares.peekLast();
    if (spare == null) {
      return Optional.empty();
    }
    Files.move(spare.folder(), wanted, StandardCopyOption.ATOMIC_MOVE);
    spares.removeLast();
    return Optional.of(spare.names());
  }

  /** Empties a folder and keeps it; false if it is to be deleted instead, in whatever state. */
  boolean keep(Path folder) throws IOException {
    Set<String> names = new HashSet<>();
    if (freshFolder.isEmpty() || spares.size() >= MOST || !empty(folder, names)) {
      return false;
    }
    Path spare = place.resolve(Long.toString(made++));
    try {
      Files.move(folder, spare, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      RunFolders.delete(spare.toFile()); // what could not be deleted at the start
      Files.move(folder, spare, StandardCopyOption.ATOMIC_MOVE);
    }
    spares.addLast(new Spare(spare, names));
    return true;
  }

  private boolean empty(Path folder, Set<String> names) throws IOException {
    File state = folder.resolve(RunFolders.STATE).toFile();
    if (!state.renameTo(folder.resolve(RunFolders.UNCLAIMED).toFile())
        || !like(freshFolder, attributes(folder))) {
      return false;
    }
    int most = FULL;
    // One after the other: a job may leave more names than there is memory for.
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
      for (Path inside : all) {
        if (most-- == 0 || !emptied(inside.toFile(), names)) {
          return false;
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return true;
  }

  private boolean emptied(File inside, Set<String> names) throws IOException {
    String name = inside.getName();
    boolean given = GIVEN.contains(name);
    boolean scratch = name.equals(RunFolders.SCRATCH);
    if (!given && !scratch && !FILES.contains(name)) {
      return inside.delete();
    }
    names.add(name);
    if (scratch) {
      return like(freshFolder, attributes(inside.toPath())) && holdsNothing(inside.toPath());
    }
    Map<String, Object> is = attributes(inside.toPath());
    if (!like(freshFile, is)) {
      return false;
    }
    if (!given && (Long) is.get("size") > 0) {
      FileChannel.open(
              inside.toPath(), StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
          .close();
    }
    return true;
  }

  private static boolean holdsNothing(Path folder) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
      return !all.iterator().hasNext();
    }
  }

  private static boolean like(Map<String, Object> fresh, Map<String, Object> is) {
    boolean folder = ((Integer) is.get("mode") & KIND) == FOLDER;
    return is.get("mode").equals(fresh.get("mode"))
        && is.get("uid").equals(fresh.get("uid"))
        // A folder is linked by those in it.
        && (folder || is.get("nlink").equals(fresh.get("nlink")));
  }

  private static Map<String, Object> attributes(Path path) throws IOException {
    return Files.readAttributes(path, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
  }
}
