package io.stoker.agent.hardware;

import io.stoker.agent.gate.HostLoad;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Measures the host by {@code /proc/stat}, {@code /proc/meminfo} and the limits of its cgroups. */
public final class HostMeter {
  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");
  private static final int IDLE = 3;
  private static final int IOWAIT = 4;

  /** What guests take is counted in what their hosts take. */
  private static final int KINDS = 8;

  private static final double PERCENT = 100;

  private final Path proc;
  private final Path cgroups;
  private long busyBefore;
  private long allBefore;

  public HostMeter(Path proc) {
    this(proc, CGROUPS);
  }

  /**
   * @param cgroups where cgroup v2 is mounted, if it is
   */
  HostMeter(Path proc, Path cgroups) {
    this.proc = proc;
    this.cgroups = cgroups;
  }

  /** How it is; the CPU since the look before, or since the boot. */
  Optional<HostLoad> look() {
    try {
      HostMemory memory = read();
      return Optional.of(new HostLoad(cpu(), memory.total(), memory.free()));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  /** Its memory; nothing where that cannot be read. */
  public Optional<HostMemory> memory() {
    try {
      return Optional.of(read());
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private HostMemory read() throws IOException {
    HostMemory memory = HostMemory.of(text(proc.resolve("meminfo")));
    Path own = proc.resolve("self/cgroup");
    if (!Files.isReadable(own)) {
      return memory;
    }
    for (Path folder : CgroupFolders.of(text(own), cgroups)) {
      Path max = folder.resolve("memory.max");
      String limit = Files.isReadable(max) ? text(max).strip() : HostMemory.NO_LIMIT;
      // What is in it costs the kernel more to tell than all else here.
      if (!limit.equals(HostMemory.NO_LIMIT)) {
        memory =
            memory.within(
                Long.parseLong(limit),
                text(folder.resolve("memory.current")),
                text(folder.resolve("memory.stat")));
      }
    }
    return memory;
  }

  private double cpu() throws IOException {
    String stat = text(proc.resolve("stat"));
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

  private static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.US_ASCII);
  }
}
