package io.stoker.cli.stack.service;

import io.stoker.cli.stack.child.Guard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a JVM keeps of a program's start for later ones, from JDK 25 on. It is only ever a matter of
 * speed: its name says of which JVM and which files it is, so that none that is stale is used; the
 * JVM looks once more, and does without one that does not fit.
 */
final class StartCache {
  /** Earlier ones make such a cache by two runs, or none. */
  private static final int FIRST_JDK = 25;

  private static final long MOST_MINUTES = 2;
  private static final String PREFIX = "agent-";
  private static final String SUFFIX = ".aot";

  private final Path folder;
  private final List<Path> jars;
  private final int jdk;

  StartCache(Path folder, List<Path> jars) {
    this(folder, jars, Runtime.version().feature());
  }

  StartCache(Path folder, List<Path> jars, int jdk) {
    this.folder = folder;
    this.jars = jars;
    this.jdk = jdk;
  }

  /** How a cache is made: by a program that ends by itself. */
  interface Rehearsal {
    List<String> command(Path file) throws IOException;
  }

  /** The cache, if there is one. */
  Optional<Path> file() throws IOException {
    if (jdk < FIRST_JDK || jars.isEmpty()) {
      return Optional.empty();
    }
    Path file = path();
    return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
  }

  /** Makes it beside whatever goes on, at the lowest priority; a failure is nobody's trouble. */
  void makeInBackground(Rehearsal rehearsal) throws IOException {
    if (jdk < FIRST_JDK || jars.isEmpty() || file().isPresent()) {
      return;
    }
    Thread.ofPlatform()
        .daemon()
        .name("agent-start-cache")
        .start(
            () -> {
              try {
                make(rehearsal);
              } catch (IOException e) {
                // The next one tries again.
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  /**
   * Makes it if there is none.
   *
   * @return whether there is one now
   */
  boolean make(Rehearsal rehearsal) throws IOException, InterruptedException {
    if (jdk < FIRST_JDK || jars.isEmpty()) {
      return false;
    }
    if (file().isPresent()) {
      return true;
    }
    Path file = path();
    Files.createDirectories(folder);
    Path fresh = Files.createTempDirectory(folder, ".rehearsal-");
    try {
      Path made = fresh.resolve("cache");
      if (run(rehearsal.command(made), fresh) && Files.isRegularFile(made)) {
        dropOthers(file);
        // Renamed into place: another stack may be making it, too.
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
      }
    } finally {
      delete(fresh);
    }
    return Files.isRegularFile(file);
  }

  private static boolean run(List<String> rehearsal, Path folder)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    Guard.onPath("nice").ifPresent(nice -> command.addAll(List.of(nice, "-n", "19")));
    command.addAll(rehearsal);
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    try {
      return process.waitFor(MOST_MINUTES, TimeUnit.MINUTES) && process.exitValue() == 0;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Those of other builds. Who has one of them open keeps it. */
  private void dropOthers(Path mine) throws IOException {
    List<Path> others;
    try (Stream<Path> files = Files.list(folder)) {
      others =
          files
              .filter(file -> file.getFileName().toString().startsWith(PREFIX))
              .filter(file -> file.toString().endsWith(SUFFIX) && !file.equals(mine))
              .toList();
    }
    for (Path other : others) {
      Files.deleteIfExists(other);
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> inside;
    try (Stream<Path> files = Files.list(folder)) {
      inside = files.toList();
    }
    for (Path file : inside) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(folder);
  }

  private Path path() throws IOException {
    StringBuilder what = new StringBuilder(System.getProperty("java.vm.version", ""));
    what.append(System.getProperty("java.home"));
    for (Path jar : jars) {
      what.append(jar).append(Files.size(jar)).append(Files.getLastModifiedTime(jar).toMillis());
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(what.toString().getBytes(StandardCharsets.UTF_8));
      return folder.resolve(PREFIX + HexFormat.of().formatHex(hash, 0, 8) + SUFFIX);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
