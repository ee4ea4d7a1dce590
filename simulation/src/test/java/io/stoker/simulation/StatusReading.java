package io.stoker.simulation;

import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.coordinator.status.LastStatusCheck;
import io.stoker.simulation.SimLog.Partition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Reads the status topic for who compares what came last, as StatusReader. */
final class StatusReading {
  private static final long POLL = 500;

  private final World world;
  private final Life life;
  private final List<Partition> partitions;
  private final BooleanSupplier schedules;
  private final LastStatusCheck check;
  private Optional<Map<Partition, Integer>> positions = Optional.empty();

  StatusReading(
      World world, SimLog log, Life life, BooleanSupplier schedules, LastStatusCheck check) {
    this.world = world;
    this.life = life;
    this.schedules = schedules;
    this.check = check;
    partitions =
        Stream.of(SimStatusTopic.ALL, SimStatusTopic.OF_QUEUE)
            .flatMap(topic -> log.partitions(topic).stream())
            .toList();
  }

  void start() {
    world.timeline.after(POLL + world.delay(), life, this::look);
  }

  private void look() {
    if (!schedules.getAsBoolean() || world.has(Defect.TRUST_LAST_STATUSES)) {
      beginAnew();
      return;
    }
    Map<Partition, Integer> at = positions.orElseGet(this::committed);
    positions = Optional.of(at);
    for (int i = 0; i < partitions.size(); i++) {
      read(i, at);
    }
    check
        .compare()
        .subscribe()
        .with(
            compared -> {
              commit(at);
              start();
            },
            away -> beginAnew());
  }

  private void beginAnew() {
    positions = Optional.empty();
    check.clear();
    start();
  }

  private Map<Partition, Integer> committed() {
    Map<Partition, Integer> committed = new HashMap<>();
    partitions.forEach(partition -> committed.put(partition, partition.committed()));
    return committed;
  }

  private void read(int index, Map<Partition, Integer> at) {
    Partition partition = partitions.get(index);
    int end = partition.end();
    for (int offset = at.get(partition); offset < end; offset++) {
      RequestStatus status = (RequestStatus) partition.at(offset).value();
      check.read(status.id(), status.version(), index, offset);
    }
    at.put(partition, end);
  }

  /** From where whoever comes next has to read. */
  private void commit(Map<Partition, Integer> at) {
    if (Mortality.dies(world, life) || world.fault(world.faults.replyLost())) {
      return;
    }
    Map<Integer, Long> from = check.from();
    for (int i = 0; i < partitions.size(); i++) {
      Partition partition = partitions.get(i);
      partition.commit(from.getOrDefault(i, at.get(partition).longValue()).intValue());
    }
  }
}
