package io.stoker.dispatcher.coordinator.placement;

import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.runtime.Environment;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Begins passes, one at a time: what a pass of its own and passes within other transactions go by.
 */
public final class FleetReaders {
  /** A pass waits so long for one within another transaction: that may never tell how it ended. */
  private static final long PATIENCE_MS = 1_000;

  private final Environment environment;
  private final Leader leader;
  private final FleetMemory memory;

  /** When the last pass within another transaction began. */
  private volatile long joinedAt;

  public FleetReaders(Environment environment, Leader leader, FleetMemory memory) {
    this.environment = environment;
    this.leader = leader;
    this.memory = memory;
  }

  /**
   * Whether a pass is to wait for one within another transaction, which {@link FreedCapacity}
   * tells.
   */
  boolean isToWait() {
    return environment.steadyMs() - joinedAt < PATIENCE_MS && memory.await();
  }

  /** For a pass of its own; nothing if this replica does not schedule. */
  Optional<FleetReader> begin() {
    OptionalLong epoch = leader.epoch();
    return epoch.isPresent()
        ? Optional.of(reader(memory.begin(), epoch.getAsLong()))
        : Optional.empty();
  }

  /**
   * For a pass within another transaction; nothing if this replica does not schedule, or somebody
   * else is placing by what is known.
   */
  Optional<FleetReader> join() {
    OptionalLong epoch = leader.epoch();
    OptionalLong pass = epoch.isPresent() ? memory.join(epoch.getAsLong()) : OptionalLong.empty();
    if (pass.isPresent()) {
      joinedAt = environment.steadyMs();
      return Optional.of(reader(pass.getAsLong(), epoch.getAsLong()));
    }
    return Optional.empty();
  }

  private FleetReader reader(long pass, long epoch) {
    return new FleetReader(memory, leader.fleet(), pass, epoch, environment.steadyMs());
  }

  /**
   * It is not known what came of a pass: the next one reads the fleet anew.
   *
   * @return whether somebody was placing
   */
  boolean forget() {
    return memory.forget();
  }

  /** Whether a pass has waited until now, told once. */
  boolean takeAwaited() {
    return memory.takeAwaited();
  }
}
