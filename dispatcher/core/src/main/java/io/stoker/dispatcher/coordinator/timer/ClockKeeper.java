package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Clock;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.timer.ClockWatch;
import java.lang.System.Logger.Level;
import java.util.OptionalLong;

/** Looks at the clock by which all is due, and corrects it where it was set. */
public final class ClockKeeper {
  private static final System.Logger LOG = System.getLogger(ClockKeeper.class.getName());

  private final Environment environment;
  private final Store store;
  private final Leader leader;

  /** Looks come one after the other. */
  private volatile ClockWatch watch = ClockWatch.START;

  public ClockKeeper(Environment environment, Store store, Leader leader) {
    this.environment = environment;
    this.store = store;
    this.leader = leader;
  }

  /** Looks once; where that fails, the next look finds out. */
  public Uni<Void> look() {
    OptionalLong epoch = leader.epoch();
    long asked = environment.steadyMs();
    return store
        .readOnce(tx -> tx.clock().look())
        .chain(shown -> correct(epoch, saw(shown, asked, epoch)))
        .onFailure()
        .invoke(
            error ->
                LOG.log(Level.DEBUG, () -> "the clock was not looked at: " + error.getMessage()))
        .onFailure()
        .recoverWithNull();
  }

  private long saw(Clock.Shown shown, long asked, OptionalLong epoch) {
    ClockWatch.Next next =
        watch.saw(
            shown.clock(),
            shown.correction(),
            shown.before(),
            asked,
            environment.steadyMs(),
            epoch.isPresent());
    watch = next.watch();
    if (next.stepped()) {
      LOG.log(
          Level.WARNING,
          ("the database's clock was set by %d ms: what is due goes by the clock as it was, which is"
                  + " brought to it little by little")
              .formatted(-next.by()));
    }
    return next.by();
  }

  private Uni<Void> correct(OptionalLong epoch, long by) {
    return by == 0 || epoch.isEmpty()
        ? Uni.createFrom().voidItem()
        : store.once(
            "clock",
            tx ->
                tx.fleet()
                    .lock(leader.fleet(), epoch.getAsLong())
                    .chain(
                        still ->
                            still.isEmpty()
                                ? Uni.createFrom().voidItem()
                                : tx.clock().correct(by)));
  }
}
