package io.stoker.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A process that can be told from a later one with the same pid.
 *
 * @param startMillis its start by the system's account, in milliseconds since 1970; 0 if unknown
 * @param start the kernel's boot and its start in that boot's ticks, which no setting of the clock
 *     moves; null where there is no {@code /proc}, and from builds that did not note it
 */
public record ProcessRef(long pid, long startMillis, String start) {
  /** The time of the boot, from which start times are reckoned, moves when the clock is set. */
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /** Where they are in a process's {@code stat}, counted from behind its name. */
  private static final int START_TICKS = 19;

  public static ProcessRef of(ProcessHandle process) {
    return new ProcessRef(
        process.pid(),
        process.info().startInstant().map(Instant::toEpochMilli).orElse(0L),
        start(process.pid()));
  }

  /** The process, if it still runs. A zombie does not run. */
  public Optional<ProcessHandle> find() {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(process -> isThat(of(process)) && !isZombie());
  }

  private boolean isThat(ProcessRef now) {
    return start == null || now.start == null
        ? Math.abs(now.startMillis - startMillis) <= TOLERANCE.toMillis()
        : start.equals(now.start);
  }

  private boolean isZombie() {
    try {
      return stat(pid)[0].equals("Z");
    } catch (IOException noSuchProcessOrNoProc) {
      return false;
    }
  }

  private static String start(long pid) {
    try {
      return "%s %s".formatted(Files.readString(BOOT).strip(), stat(pid)[START_TICKS]);
    } catch (IOException noSuchProcessOrNoProc) {
      return null;
    }
  }

  /** What stands behind the name, which may hold anything: its state first. */
  private static String[] stat(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
  }
}
