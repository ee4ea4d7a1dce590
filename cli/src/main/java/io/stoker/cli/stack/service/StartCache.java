package io.stoker.cli.stack.service;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.stoker.cli.stack.child.Guard;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.stack.child.Unpacked;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The cache that a JVM makes of a program's start for later ones, from JDK 25 on. It is only ever a
 * matter of speed: its name says of which JVM, which flags and which files it is, so that none that
 * is stale is used. The JVM looks once more, and does without one of other files; but with one that
 * was made by another collector it does not start.
 */
public final class StartCache {
  /** Earlier ones make such a cache by two runs, or none. */
  private static final int FIRST_JDK = 25;

  /** Of each step: what is given up on a busy machine is only tried again by the next stack. */
  private static final long MOST_MINUTES = 10;

  private static final String SUFFIX = ".aot";
  private static final String CLASS_PATH_SUFFIX = ".classpath";
  private static final String UNFINISHED = ".rehearsal-";

  private final Path folder;
  private final String prefix;
  private final String name;
  private final List<Path> jars;
  private final int jdk;

  /**
   * Where caches of a program's builds are kept.
   *
   * @param folder shared with other programs
   * @param program what their names begin with
   */
  public record Place(Path folder, String program) {}

  public StartCache(Place place, List<Path> jars, List<String> flags) throws IOException {
    this(place, jars, flags, Runtime.version().feature());
  }

  StartCache(Place place, List<Path> jars, List<String> flags, int jdk) throws IOException {
    folder = place.folder();
    // Who runs the same program from other places, as tests do, has one beside.
    prefix = "%s-%s-".formatted(place.program(), hash(jars.toString()));
    name = prefix + hash(identity(jars, flags));
    this.jars = jars;
    this.jdk = jdk;
  }

  /** How a cache is made: by programs that end by themselves, one after the other. */
  interface Rehearsal {
    List<List<String>> commands(Path file) throws IOException;
  }

  private boolean possible() {
    // There is none of folders, which a class path in tests has.
    return jdk >= FIRST_JDK && !jars.isEmpty() && jars.stream().allMatch(Files::isRegularFile);
  }

  /** The cache, if there is one. */
  Optional<Path> file() {
    if (!possible()) {
      return Optional.empty();
    }
    Path file = path(SUFFIX);
    return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
  }

  /** The file that tells Java the class path that the cache is of, written if there is none. */
  Path classPath() throws IOException {
    Path file = path(CLASS_PATH_SUFFIX);
    if (!Files.isRegularFile(file)) {
      Files.createDirectories(folder);
      // Not a temporary file, which nobody but its owner could read.
      Path fresh = folder.resolve(UNFINISHED + UUID.randomUUID());
      Files.writeString(fresh, JavaCommand.classPathArgument(jars));
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
    return file;
  }

  /** Makes it beside whatever goes on, at the lowest priority; a failure is nobody's trouble. */
  void makeInBackground(Rehearsal rehearsal) {
    if (!possible() || file().isPresent()) {
      return;
    }
    Thread.ofPlatform()
        .daemon()
        .name(prefix + "start-cache")
        .start(
            () -> {
              try {
                make(rehearsal, atLowestPriority());
              } catch (IOException e) {
                // The next one tries again.
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private static List<String> atLowestPriority() {
    return Guard.onPath("nice").map(nice -> List.of(nice, "-n", "19")).orElse(List.of());
  }

  /**
   * Makes it if there is none and nobody else is at it, for somebody who waits for it.
   *
   * @return whether there is one now
   */
  boolean make(Rehearsal rehearsal) throws IOException, InterruptedException {
    return make(rehearsal, List.of());
  }

  private boolean make(Rehearsal rehearsal, List<String> before)
      throws IOException, InterruptedException {
    if (!possible()) {
      return false;
    }
    if (file().isPresent()) {
      return true;
    }
    Files.createDirectories(folder);
    dropUnfinished();
    Path lock = folder.resolve(UNFINISHED + name);
    try (FileChannel maker = FileChannel.open(lock, CREATE, WRITE);
        FileLock alone = maker.tryLock()) {
      if (alone == null) {
        return false;
      }
      try {
        makeAlone(rehearsal, before);
      } finally {
        Files.deleteIfExists(lock);
      }
    } catch (OverlappingFileLockException e) {
      // Another stack of this process is at it.
      return false;
    }
    return file().isPresent();
  }

  private void makeAlone(Rehearsal rehearsal, List<String> before)
      throws IOException, InterruptedException {
    Path file = path(SUFFIX);
    if (Files.isRegularFile(file)) {
      return;
    }
    Path fresh = Files.createTempDirectory(folder, UNFINISHED);
    try {
      Path made = fresh.resolve("cache");
      if (runAll(before, rehearsal.commands(made), fresh) && Files.isRegularFile(made)) {
        dropOthers(file);
        // Renamed into place: another stack may start by it just then.
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
      }
    } finally {
      Unpacked.delete(fresh);
    }
  }

  private static boolean runAll(List<String> before, List<List<String>> rehearsal, Path folder)
      throws IOException, InterruptedException {
    for (List<String> step : rehearsal) {
      if (!run(Stream.concat(before.stream(), step.stream()).toList(), folder)) {
        return false;
      }
    }
    return true;
  }

  private static boolean run(List<String> command, Path folder)
      throws IOException, InterruptedException {
    // Guarded: whoever makes it in the background may end first, and leaves nothing running.
    Process process =
        new ProcessBuilder(Guard.around(command, "KILL", Duration.ZERO))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    try {
      return process.waitFor(MOST_MINUTES, TimeUnit.MINUTES) && process.exitValue() == 0;
    } finally {
      process.getOutputStream().close();
      process.waitFor(MOST_MINUTES, TimeUnit.MINUTES);
    }
  }

  /**
   * Those of other builds. Who has one of them open keeps it; a class path stays, because a program
   * that must be started again does not start without it.
   */
  private void dropOthers(Path mine) throws IOException {
    List<Path> others;
    try (Stream<Path> files = Files.list(folder)) {
      others =
          files
              .filter(file -> file.getFileName().toString().startsWith(prefix))
              .filter(file -> file.toString().endsWith(SUFFIX) && !file.equals(mine))
              .toList();
    }
    for (Path other : others) {
      Files.deleteIfExists(other);
    }
  }

  /** What others left that ended before it was made. */
  private void dropUnfinished() throws IOException {
    Instant old = Instant.now().minus(Duration.ofMinutes(2 * MOST_MINUTES));
    List<Path> unfinished;
    try (Stream<Path> files = Files.list(folder)) {
      unfinished =
          files.filter(file -> file.getFileName().toString().startsWith(UNFINISHED)).toList();
    }
    for (Path one : unfinished) {
      // Of 1970 if whoever made it has just removed it.
      if (Instant.ofEpochMilli(one.toFile().lastModified()).isBefore(old)) {
        Unpacked.delete(one);
      }
    }
  }

  private Path path(String suffix) {
    return folder.resolve(name + suffix);
  }

  /** Of the JVM, the flags and the files. */
  private static String identity(List<Path> jars, List<String> flags) throws IOException {
    StringBuilder what = new StringBuilder(System.getProperty("java.vm.version", ""));
    what.append(System.getProperty("java.home")).append(flags);
    for (Path jar : jars) {
      what.append(jar).append(Files.size(jar)).append(Files.getLastModifiedTime(jar).toMillis());
    }
    return what.toString();
  }

  private static String hash(String what) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(what.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
