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

  public Permission(Path data) throws IOException {
    this.watchdog = data.resolve("watchdog");
    this.clock = new BootClock();
    this.deadline = new DeadlineFile(data, clock.bootId());
  }

  /** Why nothing may start now, if so. */
  public Optional<String> refusal() throws IOException {
    if (!OwnProcess.read(watchdog).map(OwnProcess::runs).orElse(false)) {
      return Optional.of("the watchdog is not running");
    }
    return clock.bootMs() < deadline.read().orElse(0)
        ? Optional.empty()
        : Optional.of("the lease of this host has run out");
  }
}
