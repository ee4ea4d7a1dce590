package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.simulation.Machine.Run;
import java.util.Collection;

/** Ends what runs on a machine when its time is up, on one boot; goes on without an agent. */
final class Watchdog {
  private final World world;
  private final Machine machine;
  private long deadline;

  /** When the last heartbeat was sent that the broker has acknowledged; 0 if none was. */
  private long renewed;

  Watchdog(World world, Machine machine) {
    this.world = world;
    this.machine = machine;
  }

  /** Ms of CLOCK_BOOTTIME, 0 if none was set. */
  long deadline() {
    return deadline;
  }

  /** The broker has a heartbeat that was sent then. */
  void renewed(long bootMs) {
    renewed = Math.max(renewed, bootMs);
  }

  /**
   * Lets processes live until then.
   *
   * @param held by whoever moves it
   */
  void move(long bootMs, Collection<AttemptKey> held) {
    world.check(() -> checkTime(bootMs, held));
    deadline = bootMs;
    if (world.has(Defect.NO_WATCHDOG)) {
      return;
    }
    long late = world.chance.between(0, Settings.KILL_TIME);
    world.timeline.after(bootMs - machine.bootMs() + late, machine.life(), this::watch);
  }

  private void checkTime(long bootMs, Collection<AttemptKey> held) {
    hold(
        bootMs <= renewed + Settings.LEASE,
        "jobs on %s may live until %s, and the last heartbeat was sent at %s",
        machine.name,
        bootMs,
        renewed);
    machine
        .running()
        .forEach(
            run ->
                hold(
                    held.contains(Machine.key(run)),
                    "%s gets more time on %s, whose agent does not hold it",
                    Machine.key(run),
                    machine.name));
  }

  /** A process ends by itself. */
  void ends(Run run) {
    long over = machine.bootMs() - deadline;
    world.check(
        () ->
            hold(
                over <= Settings.KILL_TIME,
                "%s ends by itself on %s, %s ms after its time was up",
                Machine.key(run),
                machine.name,
                over));
  }

  /** Looks whether time is up. */
  private void watch() {
    if (machine.bootMs() >= deadline) {
      for (Run run : machine.alive().toList()) {
        world.note(machine.name, "watchdog kills " + Machine.key(run));
        machine.end(run, RunEnd.exit(137));
      }
      machine.workers().kill();
    }
  }

  /** Whether something may still begin. */
  boolean allows() {
    return machine.bootMs() < deadline || world.has(Defect.NO_WATCHDOG);
  }
}
