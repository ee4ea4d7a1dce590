package io.stoker.simulation;

import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.dispatcher.host.EndOfLog;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.simulation.SimLog.Partition;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads heartbeats from the end of the log at the start, as the dispatcher's HeartbeatReader: all
 * that a poll brings, and then whether that was the end.
 */
final class SimHeartbeats {
  private static final long ASKED_EACH = 1_000;

  private final World world;
  private final SimLog log;
  private final Partition partition;
  private final Life life;
  private final HostDirectory directory;
  private final Consumer<HostMessage> take;
  private final EndOfLog<Partition> end = new EndOfLog<>();
  private int position;
  private boolean polling;

  SimHeartbeats(
      World world, SimLog log, Life life, HostDirectory directory, Consumer<HostMessage> take) {
    this.world = world;
    this.log = log;
    this.partition = log.partitions("heartbeats").get(0);
    this.life = life;
    this.directory = directory;
    this.take = take;
  }

  void start() {
    position = partition.end();
    log.follow(partition, life, appended -> poll());
    askForEnd();
  }

  private void poll() {
    if (!polling && position < partition.end()) {
      polling = true;
      world.timeline.after(world.delay(), life, this::read);
    }
  }

  private void read() {
    int until = partition.end();
    while (position < until) {
      HostMessage message = (HostMessage) partition.at(position++).value();
      if (SimOutlets.fits(message)) {
        take.accept(message);
      } else if (!world.has(Defect.TAKE_REFUSAL_FOR_SILENCE)) {
        directory.refused(message.host());
      }
    }
    polling = false;
    noteEnd();
    poll();
  }

  private void askForEnd() {
    if (log.away()) {
      directory.atEnd(false);
    } else if (end.toBeAsked(world.now())) {
      end.asked(Map.of(partition, (long) partition.end()), world.now());
      noteEnd();
    }
    world.timeline.after(ASKED_EACH, life, this::askForEnd);
  }

  private void noteEnd() {
    if (end.reached(read -> position, world.now())) {
      directory.atEnd(true);
    }
  }

  /** What an agent would say that held nothing then. */
  static Heartbeat holdingNothing(Heartbeat last, long clock) {
    return new Heartbeat(
        last.host(),
        last.epoch(),
        last.n(),
        last.at(),
        clock,
        List.of(),
        last.reserved(),
        last.telemetry(),
        last.pools(),
        last.runners(),
        last.memoryFree(),
        last.mac());
  }
}
