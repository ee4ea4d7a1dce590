package io.stoker.agent.hardware;

/**
 * Reads how much memory a host has, and how much of it can be had: by the kernel's account, and no
 * more than what the cgroups allow that the agent and so its jobs are in.
 *
 * @param total bytes
 * @param free bytes that can be had without swapping, at most {@code total}
 */
public record HostMemory(long total, long free) {
  /** What {@code memory.max} holds where there is none. */
  static final String NO_LIMIT = "max";

  private static final long KIB = 1024;

  /** Of {@code /proc/meminfo}. */
  static HostMemory of(String meminfo) {
    return new HostMemory(kib(meminfo, "MemTotal:"), kib(meminfo, "MemAvailable:"));
  }

  /**
   * The same inside a cgroup. What files have cached there is given back before anybody is killed,
   * so it counts as free.
   *
   * @param limit its {@code memory.max}, bytes
   * @param current its {@code memory.current}, bytes
   * @param stat its {@code memory.stat}
   */
  HostMemory within(long limit, String current, String stat) {
    long taken = Long.parseLong(current.strip()) - counter(stat, "inactive_file");
    long left = Math.max(0, limit - Math.max(0, taken));
    return new HostMemory(Math.min(total, limit), Math.min(Math.min(free, left), limit));
  }

  private static long kib(String meminfo, String name) {
    int at = meminfo.indexOf(name);
    int end = meminfo.indexOf("kB", at);
    return Long.parseLong(meminfo.substring(at + name.length(), end).strip()) * KIB;
  }

  private static long counter(String stat, String name) {
    return stat.lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> Long.parseLong(line.substring(name.length()).strip()))
        .findFirst()
        .orElse(0);
  }
}
