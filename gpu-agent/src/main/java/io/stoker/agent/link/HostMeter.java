package io.stoker.agent.link;

import io.stoker.agent.gate.HostLoad;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Measures the host by {@code /proc/stat} and {@code /proc/meminfo}. */
final class HostMeter {
  private static final int IDLE = 3;
  private static final int IOWAIT = 4;

  /** What guests take is counted in what their hosts take. */
  private static final int KINDS = 8;

  private static final long KIB = 1024;
  private static final double PERCENT = 100;

  private final Path proc;
  private long busyBefore;
  private long allBefore;

  HostMeter(Path proc) {
    this.proc = proc;
  }

  /** How it is; the CPU since the look before, or since the boot. */
  Optional<HostLoad> look() {
    try {
      String meminfo = Files.readString(proc.resolve("meminfo"), StandardCharsets.US_ASCII);
      return Optional.of(
          new HostLoad(cpu(), bytes(meminfo, "MemTotal:"), bytes(meminfo, "MemAvailable:")));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private double cpu() throws IOException {
    String stat = Files.readString(proc.resolve("stat"), StandardCharsets.US_ASCII);
    String[] times = stat.substring("cpu".length(), stat.indexOf('\n')).strip().split(" +");
    long all = 0;
    long idle = 0;
    for (int i = 0; i < Math.min(KINDS, times.length); i++) {
      long ticks = Long.parseLong(times[i]);
      all += ticks;
      idle += i == IDLE || i == IOWAIT ? ticks : 0;
    }
    long busy = all - idle;
    long during = all - allBefore;
    double percent = during <= 0 ? 0 : PERCENT * (busy - busyBefore) / during;
    busyBefore = busy;
    allBefore = all;
    return Math.max(0, Math.min(PERCENT, percent));
  }

  private static long bytes(String meminfo, String name) {
    int at = meminfo.indexOf(name);
    int end = meminfo.indexOf("kB", at);
    return Long.parseLong(meminfo.substring(at + name.length(), end).strip()) * KIB;
  }
}
