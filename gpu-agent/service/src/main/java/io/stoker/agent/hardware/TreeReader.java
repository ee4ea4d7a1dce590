package io.stoker.agent.hardware;

import io.stoker.agent.attempt.Input.RunSample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Measures process trees by {@code /proc}. */
final class TreeReader {
  /**
   * Linux counts CPU time for programs in hundredths of a second, whatever the kernel's own tick.
   */
  private static final long MS_PER_TICK = 10;

  private static final int FIRST_TIME = 11;
  private static final int TIMES = 4;
  private static final long KIB = 1024;

  private TreeReader() {}

  /**
   * All of these processes together; empty if none is left. Memory that several of them share
   * counts for each.
   */
  static Optional<RunSample> read(Set<Long> pids) {
    long memory = 0;
    long cpuMs = 0;
    boolean any = false;
    for (long pid : pids) {
      try {
        cpuMs += cpuMs(text(pid, "stat"));
        memory += resident(text(pid, "status"));
        any = true;
      } catch (IOException | RuntimeException gone) {
        // It ended while it was looked at.
      }
    }
    return any ? Optional.of(new RunSample(memory, cpuMs)) : Optional.empty();
  }

  private static String text(long pid, String file) throws IOException {
    return new String(
        Files.readAllBytes(Path.of("/proc/" + pid + "/" + file)), StandardCharsets.ISO_8859_1);
  }

  /** Its own time and that of children it has waited for, for programs and for the kernel. */
  private static long cpuMs(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    long ticks = 0;
    for (int i = 0; i < TIMES; i++) {
      ticks += Long.parseLong(fields[FIRST_TIME + i]);
    }
    return ticks * MS_PER_TICK;
  }

  private static long resident(String status) {
    int at = status.indexOf("VmRSS:");
    if (at < 0) {
      return 0; // a zombie has none
    }
    int end = status.indexOf("kB", at);
    return Long.parseLong(status.substring(at + "VmRSS:".length(), end).strip()) * KIB;
  }
}
