package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** The database: transactions that take time, wait for each other, fail, and lose their replies. */
final class SimDatabase {
  private final World world;
  private final Tables tables = new Tables();
  private final Locks locks = new Locks();
  private final Map<SimTransaction, Life> open = new LinkedHashMap<>();
  private final List<Consumer<SimTransaction>> watchers = new ArrayList<>();

  /** What a caller sees of a transaction that failed, or whose outcome is unknown. */
  static final class Unavailable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unavailable(String message) {
      super(message, null, false, false);
    }
  }

  SimDatabase(World world) {
    this.world = world;
  }

  Tables tables() {
    return tables;
  }

  /** Called after each commit. */
  void watch(Consumer<SimTransaction> watcher) {
    watchers.add(watcher);
  }

  /** Until its outcome is known, as the dispatcher's: a commit whose reply is lost runs again. */
  <T> Uni<T> transaction(Life life, Function<SimTransaction, T> work) {
    return Uni.createFrom().emitter(emitter -> begin(life, work, emitter, true));
  }

  /** Whether nobody tries again what failed for no reason of its own. */
  boolean failsAtOnce() {
    return world.has(Defect.TAKE_OUTAGES_FOR_DATA);
  }

  /** Once: fails if its outcome is unknown. */
  <T> Uni<T> once(Life life, Function<SimTransaction, T> work) {
    return Uni.createFrom().emitter(emitter -> begin(life, work, emitter, false));
  }

  private <T> void begin(
      Life life, Function<SimTransaction, T> work, UniEmitter<? super T> emitter, boolean retry) {
    if (life.over()) {
      return; // It died within the step that would go on here.
    }
    Runnable again = () -> begin(life, work, emitter, retry);
    SimTransaction transaction = new SimTransaction(world, tables, locks);
    T result;
    try {
      result = work.apply(transaction);
    } catch (Locks.Busy busy) {
      locks.release(transaction);
      world.timeline.after(world.chance.between(1, 10), life, again);
      return;
    } catch (Tables.ConcurrentInsert first) {
      locks.release(transaction);
      world.timeline.after(world.chance.between(1, 10), life, again);
      return;
    } catch (RuntimeException | Error defect) {
      if (Poison.isOf(defect) || defect instanceof Locks.TooWeak) {
        locks.release(transaction);
        emitter.fail(defect);
      } else {
        world.broken(defect);
      }
      return;
    }
    Runnable commit = () -> commit(life, transaction, result, again, emitter, retry);
    if (world.chance.is(0.5)) {
      commit.run();
    } else {
      open.put(transaction, life);
      long time = world.chance.between(1, 10);
      world.timeline.after(time, life, commit);
    }
  }

  private <T> void commit(
      Life life,
      SimTransaction transaction,
      T result,
      Runnable again,
      UniEmitter<? super T> emitter,
      boolean retry) {
    open.remove(transaction);
    Runnable fail =
        retry
            ? () -> world.timeline.after(world.chance.between(5, 60), life, again)
            : () -> emitter.fail(new Unavailable("the outcome of a transaction is unknown"));
    if (Mortality.dies(world, life)) {
      transaction.abort();
      return;
    }
    if (transaction.aborted() || world.fault(world.faults.refused())) {
      transaction.abort();
      fail.run();
      return;
    }
    try {
      transaction.commit();
    } catch (Tables.ConcurrentInsert | Locks.Busy lost) {
      transaction.abort();
      world.timeline.after(world.chance.between(1, 10), life, again);
      return;
    } catch (RuntimeException | Error defect) {
      world.broken(defect);
      return;
    }
    watchers.forEach(watcher -> watcher.accept(transaction));
    if (Mortality.dies(world, life)) {
      return;
    }
    if (world.fault(world.faults.replyLost())) {
      fail.run();
    } else {
      world.timeline.after(world.chance.between(0, 3), life, () -> emitter.complete(result));
    }
  }

  /** Of a client that died, or with which the database lost patience because it is stopped. */
  void abortTransactionsOf(Life client) {
    if (world.has(Defect.NO_TIME_OUTS)) {
      return;
    }
    open.forEach(
        (transaction, life) -> {
          if (life == client) {
            transaction.abort();
          }
        });
  }
}
