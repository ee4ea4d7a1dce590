package io.stoker.dispatcher.service.aside;

import io.micrometer.core.instrument.MeterRegistry;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.runtime.Trouble;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.SetAsideTable;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/** Shows what fails to all replicas, in a table, and to people in metrics. */
@ApplicationScoped
public class ShownTroubles implements SetAsides.Sink {
  private static final Logger LOG = Logger.getLogger(ShownTroubles.class);

  private final Database database;
  private final MeterRegistry meters;

  ShownTroubles(Database database, MeterRegistry meters) {
    this.database = database;
    this.meters = meters;
  }

  /** Counts what fails of these. */
  public SetAsides counted(SetAsides asides) {
    meters.gauge("stoker.set.aside", asides, all -> all.failing(true));
    meters.gauge("stoker.failing", asides, all -> all.failing(false));
    return asides;
  }

  @Override
  public void tried(Trouble trouble) {
    meters.counter("stoker.set.aside.tries", "step", trouble.step()).increment();
  }

  /** Once: where it is not written, the next failure is. */
  @Override
  public void show(Trouble trouble) {
    database
        .once(session -> SetAsideTable.note(session, trouble))
        .subscribe()
        .with(
            done -> {}, error -> LOG.warnf("%s was not noted: %s", trouble, Fault.sentence(error)));
  }
}
