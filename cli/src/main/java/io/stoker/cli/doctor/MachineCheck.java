package io.stoker.cli.doctor;

import io.stoker.common.size.ByteSize;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * This machine: its Java, its disk, its compiler, its limits.
 *
 * @param data the folder in which a local stack keeps what must last; need not be there
 * @param proc the kernel's {@code /proc}
 */
record MachineCheck(Path data, Map<String, String> environment, Path proc) {
  private static final int OLDEST_JAVA = 21;
  private static final long GIB = 1L << 30;
  private static final long SCARCE = 2 * GIB;

  /** With less, databases and brokers do not start, or stop at their first write. */
  private static final long TOO_LITTLE = GIB / 4;

  private static final String DISK = "disk";
  private static final String COMPILER = "C compiler";
  private static final String LIMITS = "open files";
  private static final long FEW_FILES = 4096;

  List<Finding> run() {
    return List.of(java(Runtime.version().feature()), disk(), compiler(), files());
  }

  static Finding java(int feature) {
    String found = "Java %d at %s".formatted(feature, System.getProperty("java.home"));
    return feature >= OLDEST_JAVA
        ? Finding.ok("Java", found)
        : Finding.fail("Java", found, "install a JDK of %d or newer".formatted(OLDEST_JAVA));
  }

  private Finding disk() {
    Path there = data.toAbsolutePath();
    while (!Files.exists(there) && there.getParent() != null) {
      there = there.getParent();
    }
    try {
      FileStore store = Files.getFileStore(there);
      if (!Files.isDirectory(there)) {
        return Finding.fail(
            DISK, "%s is a file".formatted(there), "name a folder by --data or STOKER_DATA");
      }
      if (!Files.isWritable(there)) {
        return Finding.fail(
            DISK,
            "%s cannot be written to".formatted(there),
            "give this user the right to, or name another folder by STOKER_DATA");
      }
      return space(there, store.getUsableSpace());
    } catch (IOException e) {
      return Finding.fail(DISK, "%s: %s".formatted(there, e.getMessage()), "name another folder");
    }
  }

  static Finding space(Path folder, long free) {
    String found = "%s free in %s".formatted(ByteSize.text(free), folder);
    if (free < TOO_LITTLE) {
      return Finding.fail(DISK, found, "nothing starts there: free 2 GiB at least");
    }
    return free >= SCARCE
        ? Finding.ok(DISK, found)
        : Finding.warn(DISK, found, "logs and databases need some room: free 2 GiB at least");
  }

  private Finding compiler() {
    Optional<Path> found =
        Stream.of("cc", "gcc", "clang").map(this::onPath).flatMap(Optional::stream).findFirst();
    return found
        .map(path -> Finding.ok(COMPILER, path.toString()))
        .orElseGet(
            () ->
                Finding.warn(
                    COMPILER,
                    "none on the path",
                    "only needed for simulated GPUs (stoker up --gpus) and the tests: install gcc"));
  }

  private Optional<Path> onPath(String program) {
    return Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
        .filter(folder -> !folder.isBlank())
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private Finding files() {
    try {
      return Files.readAllLines(proc.resolve("self/limits")).stream()
          .filter(line -> line.startsWith("Max open files"))
          .map(line -> files(line.split(" {2,}")[1]))
          .findFirst()
          .orElseGet(() -> Finding.ok(LIMITS, "no limit is told"));
    } catch (IOException e) {
      return Finding.warn(LIMITS, "not Linux: " + e.getMessage(), "run agents on Linux");
    }
  }

  static Finding files(String limit) {
    boolean few = limit.matches("\\d+") && Long.parseLong(limit) < FEW_FILES;
    return few
        ? Finding.warn(LIMITS, "%s at most".formatted(limit), "raise it: ulimit -n 65536")
        : Finding.ok(LIMITS, "%s at most".formatted(limit));
  }
}
