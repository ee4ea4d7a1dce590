package io.stoker.e2e.simulation;

import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.status.LastStatuses;
import io.stoker.dispatcher.status.LastStatuses.Last;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.e2e.simulation.SimLog.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Looks for last statuses that are not the newest, as StatusReader. */
final class StatusReading {
  private static final long POLL = 500;
  private static final int AT_ONCE = 4;

  private final World world;
  private final SimDatabase database;
  private final Life life;
  private final List<Partition> partitions;
  private final BooleanSupplier schedules;
  private final Runnable owed;
  private final LastStatuses last = new LastStatuses();
  private Optional<Map<Partition, Integer>> positions = Optional.empty();

  StatusReading(
      World world,
      SimDatabase database,
      SimLog log,
      Life life,
      BooleanSupplier schedules,
      Runnable owed) {
    this.world = world;
    this.database = database;
    this.life = life;
    this.schedules = schedules;
    this.owed = owed;
    partitions = log.partitions("status");
  }

  void start() {
    world.timeline.after(POLL + world.delay(), life, this::look);
  }

  private void look() {
    if (!schedules.getAsBoolean() || world.has(Defect.TRUST_LAST_STATUSES)) {
      positions = Optional.empty();
      last.clear();
      start();
      return;
    }
    Map<Partition, Integer> at = positions.orElseGet(this::committed);
    positions = Optional.of(at);
    for (int i = 0; i < partitions.size(); i++) {
      read(i, at);
    }
    List<Last> due = last.due(world.now(), AT_ONCE);
    if (due.isEmpty()) {
      commit(at);
      start();
    } else {
      compare(due, at);
    }
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
      last.read(new Last(status.id(), status.version(), index, offset, world.now()));
    }
    at.put(partition, end);
  }

  private void compare(List<Last> some, Map<Partition, Integer> at) {
    database
        .once(life, tx -> overtaken(tx, some))
        .subscribe()
        .with(
            overtaken -> {
              if (!overtaken.isEmpty()) {
                owed.run();
              }
              last.compared(some);
              commit(at);
              start();
            },
            away -> {
              positions = Optional.empty();
              last.clear();
              start();
            });
  }

  private static List<String> overtaken(SimTransaction tx, List<Last> some) {
    List<String> overtaken = new ArrayList<>();
    for (Last one : some) {
      RequestRow row = tx.tables().requests.get(one.request());
      if (row != null
          && !row.isPlaceholder()
          && StatusView.version(row, tx.tables().job(row)) > one.version()) {
        overtaken.add(one.request());
      }
    }
    if (!overtaken.isEmpty()) {
      tx.owe(overtaken);
    }
    return overtaken;
  }

  private void commit(Map<Partition, Integer> at) {
    if (Mortality.dies(world, life) || world.fault(world.faults.replyLost())) {
      return;
    }
    Map<Integer, Long> from = last.from();
    for (int i = 0; i < partitions.size(); i++) {
      Partition partition = partitions.get(i);
      partition.commit(from.getOrDefault(i, at.get(partition).longValue()).intValue());
    }
  }
}
