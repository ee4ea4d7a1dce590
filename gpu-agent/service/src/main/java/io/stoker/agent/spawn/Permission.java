package io.stoker.agent.spawn;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The last look before a start: the agent that asked may have slept since. Without a watchdog, or
 * past the deadline that it would kill at, nothing starts.
 */
public final class Permission {
  private final Path watchdog;
  private final DeadlineFile deadline;
  private final BootClock clock;

  /** When a look last allowed a start, ms of the clock. */
  private long allowed = -1;

  public Permission(Path data) throws IOException {
    this.watchdog = data.resolve("watchdog");
    this.clock = new BootClock();
    this.deadline = new DeadlineFile(data, clock.bootId());
  }

  /**
   * The same, for one of many starts: a look serves all of one hundredth of a second, which is as
   * fine as the clock is. From one thread.
   */
  Optional<String> refusalThisTick() throws IOException {
    return clock.bootMs() == allowed ? Optional.empty() : refusal();
  }

  /** Why nothing may start now, if so. */
  public Optional<String> refusal() throws IOException {
    if (!OwnProcess.read(watchdog).map(OwnProcess::runs).orElse(false)) {
      return Optional.of("the watchdog is not running");
    }
    long now = clock.bootMs();
    if (now >= deadline.read().orElse(0)) {
      return Optional.of("the lease of this host has run out");
    }
    allowed = now;
    return Optional.empty();
  }
}
