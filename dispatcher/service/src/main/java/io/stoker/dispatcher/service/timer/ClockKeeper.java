package io.stoker.dispatcher.service.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.leader.Leadership;
import io.stoker.dispatcher.service.postgres.ClockTable;
import io.stoker.dispatcher.service.postgres.ClockTable.Shown;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.FleetTable;
import io.stoker.dispatcher.timer.ClockWatch;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Looks at the clock by which all is due, and corrects it where it was set. */
@ApplicationScoped
public class ClockKeeper {
  private static final Logger LOG = Logger.getLogger(ClockKeeper.class);

  private final Database database;
  private final Leadership leadership;

  /** Looks come one after the other. */
  private volatile ClockWatch watch = ClockWatch.START;

  ClockKeeper(Database database, Leadership leadership) {
    this.database = database;
    this.leadership = leadership;
  }

  /** Looks once; where that fails, the next look finds out. */
  Uni<Void> look() {
    OptionalLong epoch = leadership.epoch();
    long asked = now();
    return database
        .readOnce(ClockTable::look)
        .chain(shown -> correct(epoch, saw(shown, asked, epoch)))
        .onFailure()
        .invoke(error -> LOG.debugf("the clock was not looked at: %s", error.getMessage()))
        .onFailure()
        .recoverWithNull();
  }

  private long saw(Shown shown, long asked, OptionalLong epoch) {
    ClockWatch.Next next =
        watch.saw(
            shown.clock(), shown.correction(), shown.before(), asked, now(), epoch.isPresent());
    watch = next.watch();
    if (next.stepped()) {
      LOG.warnf(
          "the database's clock was set by %d ms: what is due goes by the clock as it was, which is"
              + " brought to it little by little",
          -next.by());
    }
    return next.by();
  }

  private Uni<Void> correct(OptionalLong epoch, long by) {
    return by == 0 || epoch.isEmpty()
        ? Uni.createFrom().voidItem()
        : database.once(
            session ->
                new FleetTable(session)
                    .lock(leadership.fleet(), epoch.getAsLong())
                    .chain(
                        still ->
                            still.isEmpty()
                                ? Uni.createFrom().voidItem()
                                : ClockTable.correct(session, by)));
  }

  private static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
