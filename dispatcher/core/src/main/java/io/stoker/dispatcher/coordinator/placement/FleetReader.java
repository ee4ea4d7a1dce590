package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.model.UsageRow;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.FleetMemory.Known;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.store.Transaction;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Finds the fleet for one pass: as it is remembered, where the store has no other versions of the
 * hosts and no other replica has said that it closed attempts; else it is read.
 */
final class FleetReader {
  /** What was read is good for so long: what another replica says may be lost. */
  private static final long FRESH_MS = 1_000;

  private final FleetMemory memory;
  private final String fleet;
  private final long epoch;
  private final long nowMs;
  private final long pass;

  /** When what it goes by was read. */
  private long readAt;

  /** Whether it read all since another replica had asked for that. */
  private boolean asked;

  /**
   * For a pass that has begun.
   *
   * @param epoch under which it holds the fleet's row
   * @param nowMs on a clock that never goes back
   */
  FleetReader(FleetMemory memory, String fleet, long pass, long epoch, long nowMs) {
    this.memory = memory;
    this.fleet = fleet;
    this.pass = pass;
    this.epoch = epoch;
    this.nowMs = nowMs;
  }

  /**
   * The rows.
   *
   * @param versions of the hosts, read before them
   * @param used what has been used that is not booked yet
   */
  record Rows(
      Map<String, String> versions,
      List<HostRow> hosts,
      List<AttemptRow> open,
      Collection<UsageRow> used) {
    Rows(Map<String, String> versions, List<HostRow> hosts, List<AttemptRow> open) {
      this(versions, hosts, open, List.of());
    }

    /** The rows as a unit of work leaves them that may have changed or closed attempts. */
    Rows after(UnitOfWork unit) {
      Map<AttemptRow.Key, AttemptRow> left = new LinkedHashMap<>();
      open.forEach(attempt -> left.put(attempt.key(), attempt));
      unit.attempts().removed().forEach(left::remove);
      unit.attempts().updated().forEach(attempt -> left.replace(attempt.key(), attempt));
      return new Rows(versions, hosts, List.copyOf(left.values()), unit.usage());
    }
  }

  /** Locks the fleet's row if nobody else has it. */
  Uni<Boolean> tryLock(Transaction tx) {
    return tx.fleet().tryLock(fleet, epoch);
  }

  /**
   * Locks the fleet's row.
   *
   * @return the store's time, ms since 1970; nothing if another replica schedules by now
   */
  Uni<OptionalLong> lock(Transaction tx) {
    return tx.fleet().lock(fleet, epoch);
  }

  /** Tells all replicas for whom room is kept. */
  Uni<Void> reserve(Transaction tx, List<Reservation> reservations) {
    return tx.fleet().reserve(fleet, epoch, reservations);
  }

  /** Tells, with the commit, that the pass has opened attempts. */
  Uni<Void> announce(Transaction tx, UnitOfWork opened) {
    return tx.fleet().announce(fleet, opened.named());
  }

  long epoch() {
    return epoch;
  }

  /** To be sent behind the lock of the fleet's row. */
  Uni<Rows> read(Transaction tx) {
    Optional<Known> fresh =
        memory
            .known(pass)
            .filter(known -> known.epoch() == epoch && nowMs - known.readAt() < FRESH_MS)
            .filter(known -> !memory.isOutdated());
    return fresh.isEmpty()
        ? all(tx)
        : tx.hosts()
            .versions()
            .map(this::remembered)
            .chain(rows -> rows.isPresent() ? Uni.createFrom().item(rows.get()) : all(tx));
  }

  private Optional<Rows> remembered(Map<String, String> versions) {
    Optional<Known> same = memory.known(pass).filter(known -> known.versions().equals(versions));
    same.ifPresent(known -> readAt = known.readAt());
    return same.map(known -> new Rows(versions, known.hosts(), known.open()));
  }

  private Uni<Rows> all(Transaction tx) {
    readAt = nowMs;
    asked |= memory.readAnew();
    return Uni.combine()
        .all()
        .unis(tx.hosts().versions(), tx.hosts().all(), tx.attempts().all())
        .combinedWith(Rows::new);
  }

  /** The pass has come to nothing. */
  void leave() {
    if (asked) {
      memory.changedElsewhere();
    }
    memory.leave(pass);
  }

  /** The pass has committed. */
  void learn(Passed passed) {
    memory.learn(passed.known(pass, epoch, readAt));
  }
}
