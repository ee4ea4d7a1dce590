package io.stoker.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Sums up what a process and all it has started take, by the kernel's account in {@code /proc}. */
record ProcessTree(Path proc) {
  /** The kernel counts in hundredths of a second for every program, whatever it uses itself. */
  private static final double TICKS_PER_SECOND = 100;

  /** CPU seconds of the processes, their living descendants, and those that ended. */
  double cpuSeconds(List<Long> pids) {
    return all(pids).mapToLong(this::ticks).sum() / TICKS_PER_SECOND;
  }

  /** Bytes of memory; what several processes share is divided between them. */
  long memory(List<Long> pids) {
    return all(pids).mapToLong(this::bytes).sum();
  }

  /**
   * Bytes that are resident of the largest of the processes, what it shares with others included.
   */
  long largest(List<Long> pids) {
    return all(pids)
        .mapToLong(pid -> read(pid, "status").flatMap(text -> kibibytes(text, "VmRSS:")).orElse(0L))
        .map(kibibytes -> kibibytes * 1024)
        .max()
        .orElse(0);
  }

  private static Stream<Long> all(List<Long> pids) {
    return pids.stream()
        .flatMap(pid -> ProcessHandle.of(pid).stream())
        .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
        .map(ProcessHandle::pid)
        .distinct();
  }

  /** A process that ended meanwhile counts with its parent. */
  private long ticks(long pid) {
    Optional<String> stat = read(pid, "stat");
    return stat.map(ProcessTree::ticks).orElse(0L);
  }

  /** User and system time, of the process and of its children that ended. */
  static long ticks(String stat) {
    // The name in parentheses may hold anything; after it come state (3rd field), ppid, ...
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    long ticks = 0;
    for (int field = 14; field <= 17; field++) {
      ticks += Long.parseLong(fields[field - 3]);
    }
    return ticks;
  }

  private long bytes(long pid) {
    return read(pid, "smaps_rollup")
        .flatMap(text -> kibibytes(text, "Pss:"))
        .or(() -> read(pid, "status").flatMap(text -> kibibytes(text, "VmRSS:")))
        .map(kibibytes -> kibibytes * 1024)
        .orElse(0L);
  }

  static Optional<Long> kibibytes(String text, String name) {
    return text.lines()
        .filter(line -> line.startsWith(name))
        .findFirst()
        .map(line -> Long.parseLong(line.substring(name.length()).replaceAll("[^0-9]", "")));
  }

  private Optional<String> read(long pid, String file) {
    try {
      return Optional.of(Files.readString(proc.resolve(Long.toString(pid)).resolve(file)));
    } catch (IOException endedOrForbidden) {
      return Optional.empty();
    }
  }
}
