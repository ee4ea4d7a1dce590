package io.stoker.dispatcher.service.leader;

import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.runtime.Runs;
import io.stoker.dispatcher.service.config.StokerConfig;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells whether this replica is able to schedule: its work ends in time, and it hears the hosts.
 * One that is not lets another one take over, and is not ready.
 */
@ApplicationScoped
public class Fitness {
  private final HostDirectory hosts;
  private final Duration deadline;

  Fitness(HostDirectory hosts, StokerConfig config) {
    this.hosts = hosts;
    deadline = config.runDeadline();
  }

  /** Whether something that it does takes too long. */
  public boolean hangs() {
    return !Runs.longerThan(deadline).isEmpty();
  }

  /** Sentences about what keeps it from scheduling; none if nothing does. */
  public List<String> troubles() {
    List<String> troubles = new ArrayList<>(Runs.longerThan(deadline));
    long deaf = hosts.endUnheldMs();
    if (deaf > deadline.toMillis()) {
      troubles.add("the end of the heartbeat log was not read for %d s".formatted(deaf / 1000));
    }
    return troubles;
  }
}
