package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.simulation.SimLog.Entry;
import io.stoker.simulation.SimLog.Partition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The dispatchers that read a topic together: each partition has one owner, reads go on from the
 * committed offset, or from an older one, when another takes over. An owner that was stopped goes
 * on with what it was doing, though its partition is another's by then.
 */
final class ConsumerGroup {
  private static final int AT_ONCE = 6;

  /** One reader of one partition, from its assignment to its revocation. */
  private final class Reading {
    private final Partition partition;
    private final Life owner;
    private final Function<List<Entry>, Uni<Void>> handler;
    private int position;
    private boolean busy;
    private boolean revoked;

    Reading(Partition partition, Member member, int position) {
      this.partition = partition;
      this.owner = member.life();
      this.handler = member.handler();
      this.position = position;
    }

    void wake() {
      if (!busy && !revoked && !owner.over() && position < partition.end()) {
        busy = true;
        world.timeline.after(world.delay(), owner, this::read);
      }
    }

    private void read() {
      int most = world.chance.between(1, AT_ONCE);
      int end = Math.min(partition.end(), position + most);
      List<Entry> batch = new ArrayList<>();
      for (int i = position; i < end; i++) {
        batch.add(partition.at(i));
      }
      handler.apply(batch).subscribe().with(done -> handled(end), error -> world.broken(error));
    }

    private void handled(int next) {
      if (Mortality.dies(world, owner)) {
        return;
      }
      position = next;
      busy = false;
      if (!revoked) {
        if (!world.fault(Fault.REPLY_LOST)) {
          committed.put(partition, next);
        }
        wake();
      }
    }
  }

  private record Member(Life life, Function<List<Entry>, Uni<Void>> handler) {}

  private final World world;
  private final List<Partition> partitions;
  private final Map<Partition, Integer> committed = new LinkedHashMap<>();
  private final Map<Partition, Reading> readings = new LinkedHashMap<>();
  private final List<Member> members = new ArrayList<>();

  ConsumerGroup(World world, List<Partition> partitions) {
    this.world = world;
    this.partitions = partitions;
    for (Partition partition : partitions) {
      committed.put(partition, 0);
      partition.onAppend(
          () -> {
            Reading reading = readings.get(partition);
            if (reading != null) {
              reading.wake();
            }
          });
    }
  }

  /** Where its readers go on. */
  Map<Partition, Integer> committed() {
    return Map.copyOf(committed);
  }

  /** Nobody is a member of it, and whoever comes goes on there. */
  void rewind(Map<Partition, Integer> positions) {
    readings.values().forEach(reading -> reading.revoked = true);
    readings.clear();
    committed.putAll(positions);
  }

  /** Where its topic ends. */
  Map<Partition, Integer> ends() {
    return partitions.stream().collect(Collectors.toMap(one -> one, Partition::end));
  }

  /**
   * Whether all before these offsets was read and dealt with, be it that the commit which says so
   * was lost.
   */
  boolean isPast(Map<Partition, Integer> offsets) {
    return offsets.entrySet().stream()
        .allMatch(offset -> dealtWith(offset.getKey()) >= offset.getValue());
  }

  private int dealtWith(Partition partition) {
    Reading reading = readings.get(partition);
    boolean alive = reading != null && !reading.revoked && !reading.owner.over();
    return alive ? Math.max(committed.get(partition), reading.position) : committed.get(partition);
  }

  void join(Life member, Function<List<Entry>, Uni<Void>> handler) {
    members.add(new Member(member, handler));
    rebalance();
  }

  /** Gives every partition to one of those that live and are heard of. */
  void rebalance() {
    members.removeIf(member -> member.life().over());
    List<Member> awake =
        members.stream().filter(member -> member.life().pausedUntil() <= world.now()).toList();
    if (awake.isEmpty()) {
      return;
    }
    for (Partition partition : partitions) {
      Reading before = readings.get(partition);
      Member owner = world.chance.of(awake);
      if (before != null && before.owner == owner.life() && !before.owner.over()) {
        continue;
      }
      if (before != null) {
        before.revoked = true;
      }
      int from = committed.get(partition);
      if (world.fault(Fault.REWOUND)) {
        from = Math.max(0, from - world.chance.between(1, 20));
      }
      Reading reading = new Reading(partition, owner, from);
      readings.put(partition, reading);
      reading.wake();
    }
  }

  /** Whether everything has been read, and what was read has been dealt with. */
  boolean drained() {
    return partitions.stream()
        .allMatch(
            partition -> {
              Reading reading = readings.get(partition);
              return reading != null
                  && !reading.owner.over()
                  && !reading.busy
                  && reading.position == partition.end();
            });
  }
}
