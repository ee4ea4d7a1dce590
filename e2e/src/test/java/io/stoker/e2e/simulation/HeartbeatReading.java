package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.e2e.simulation.SimLog.Partition;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Reads heartbeats from the end of the log at the start, one after the other, as HeartbeatReader.
 */
final class HeartbeatReading {
  /** As the dispatcher's EndOfLog: reached later than this, the end tells of arrears. */
  private static final long SOON = 2_000;

  private final World world;
  private final SimLog log;
  private final Partition partition;
  private final Life life;
  private final HostDirectory directory;
  private final HostAnswers answers;
  private final BooleanSupplier schedules;
  private final Runnable capacityChanged;
  private OptionalLong askedAt = OptionalLong.empty();
  private int askedEnd;
  private int position;
  private boolean busy;

  HeartbeatReading(
      World world,
      SimLog log,
      Life life,
      HostDirectory directory,
      HostAnswers answers,
      BooleanSupplier schedules,
      Runnable capacityChanged) {
    this.world = world;
    this.log = log;
    this.partition = log.partitions("heartbeats").get(0);
    this.life = life;
    this.directory = directory;
    this.answers = answers;
    this.schedules = schedules;
    this.capacityChanged = capacityChanged;
  }

  void start() {
    position = partition.end();
    log.follow(partition, life, appended -> wake());
    askForEnd();
  }

  private void wake() {
    if (!busy && position < partition.end()) {
      busy = true;
      world.timeline.after(world.delay(), life, this::read);
    }
  }

  private void read() {
    HostMessage message = (HostMessage) partition.at(position).value();
    handle(message)
        .subscribe()
        .with(
            done -> {
              position++;
              busy = false;
              noteReached();
              wake();
            },
            world::broken);
  }

  private Uni<Void> handle(HostMessage message) {
    if (message instanceof Heartbeat heartbeat) {
      HostDirectory.Sound sound = directory.heard(heartbeat);
      if (sound == HostDirectory.Sound.FIRST) {
        capacityChanged.run();
      }
      return sound == HostDirectory.Sound.SUPERSEDED && answers()
          ? answers.superseded(heartbeat.host())
          : Uni.createFrom().voidItem();
    }
    if (!answers()) {
      return Uni.createFrom().voidItem();
    }
    return switch (message) {
      case Hello hello -> answers.hello(hello);
      case Inventory inventory -> answers.inventory(inventory);
      case Goodbye goodbye -> answers.goodbye(goodbye);
      case Heartbeat heartbeat -> Uni.createFrom().voidItem();
    };
  }

  private boolean answers() {
    return schedules.getAsBoolean() && directory.holdsEnd();
  }

  /** Asks the broker for the end, and notes once it is reached. */
  private void askForEnd() {
    if (!busy) {
      if (log.away()) {
        directory.atEnd(false);
      } else if (askedAt.isEmpty()) {
        askedAt = OptionalLong.of(world.now());
        askedEnd = partition.end();
      }
    }
    world.timeline.after(world.delay(), life, this::noteReached);
    world.timeline.after(1_000, life, this::askForEnd);
  }

  private void noteReached() {
    if (!busy && askedAt.isPresent() && position >= askedEnd) {
      if (world.now() - askedAt.getAsLong() <= SOON) {
        directory.atEnd(true);
      }
      askedAt = OptionalLong.empty();
    }
  }
}
