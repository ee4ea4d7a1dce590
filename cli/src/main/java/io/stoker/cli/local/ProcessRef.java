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
 */
public record ProcessRef(long pid, long startMillis) {
  /** The kernel's boot time, from which start times are reckoned, moves when the clock is set. */
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  public static ProcessRef of(ProcessHandle process) {
    return new ProcessRef(
        process.pid(), process.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
  }

  /** The process, if it still runs. A zombie does not run. */
  public Optional<ProcessHandle> find() {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(
            process ->
                Math.abs(of(process).startMillis - startMillis) <= TOLERANCE.toMillis()
                    && !isZombie());
  }

  private boolean isZombie() {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
    } catch (IOException noSuchProcessOrNoProc) {
      return false;
    }
  }
}
