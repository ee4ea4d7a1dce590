package io.stoker.dispatcher.service.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.experiment.Experiments;
import io.stoker.dispatcher.service.fairshare.UsageBook;
import io.stoker.dispatcher.service.memory.MemoryBook;
import io.stoker.dispatcher.service.placement.SuspectBook;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.GroupTable;
import io.stoker.dispatcher.service.postgres.PendingWork;
import io.stoker.dispatcher.service.postgres.Unreadable;
import io.stoker.dispatcher.service.report.ReportMailer;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.function.Supplier;

/**
 * What the scheduler does each second because no event would: time-outs, leases that ran out,
 * placements that were not accepted, messages that may have been lost. Each step is done whatever
 * became of those before it.
 */
@ApplicationScoped
public class Sweep {
  /** Groups that are folded apart in one sweep, where all together fail. */
  private static final int APART = 1_000;

  private final Database database;
  private final DueTimers timers;
  private final HostSweep hosts;
  private final UntoldAttempts untold;
  private final Wakes wakes;
  private final UsageBook usage;
  private final MemoryBook memory;
  private final SuspectBook suspects;
  private final Retries retries;
  private final Experiments experiments;
  private final ReportMailer mailer;
  private final SetAsides asides;
  private final Isolation<String> groups;

  Sweep(
      Database database,
      DueTimers timers,
      HostSweep hosts,
      UntoldAttempts untold,
      Wakes wakes,
      UsageBook usage,
      MemoryBook memory,
      SuspectBook suspects,
      Retries retries,
      Experiments experiments,
      ReportMailer mailer,
      SetAsides asides) {
    this.database = database;
    this.timers = timers;
    this.hosts = hosts;
    this.untold = untold;
    this.wakes = wakes;
    this.usage = usage;
    this.memory = memory;
    this.suspects = suspects;
    this.retries = retries;
    this.experiments = experiments;
    this.mailer = mailer;
    this.asides = asides;
    groups = asides.isolation("groups", group -> group, this::foldGroups);
  }

  /**
   * One sweep.
   *
   * @param work what waits in the database
   */
  public Uni<Void> run(PendingWork work) {
    return step("timers", work.timers(), timers::run)
        .chain(() -> step("hosts", true, () -> hosts.look(work.attempts())))
        .chain(() -> step("untold attempts", work.attempts(), untold::chase))
        .chain(() -> step("usage", work.usage(), usage::fold))
        .chain(() -> step("memory", work.memory(), memory::fold))
        .chain(() -> step("suspects", work.launches() || suspects.holdsAnything(), suspects::fold))
        .chain(() -> step("groups", work.groups(), this::foldGroups))
        .chain(() -> step("experiments", work.experiments(), experiments::look))
        .chain(() -> step("mail", true, mailer::look))
        .invoke(this::showUnreadable)
        .invoke(() -> hint(work));
  }

  /** What was stored and cannot be read. */
  private void showUnreadable() {
    for (Unreadable.Found found : Unreadable.found()) {
      asides.failed("reading stored rows", found.what(), found.why());
    }
  }

  private Uni<Void> step(String name, boolean wanted, Supplier<Uni<Void>> work) {
    return wanted ? asides.step(name, work) : Uni.createFrom().voidItem();
  }

  private void hint(PendingWork work) {
    if (work.backoff()) {
      retries.look();
    }
    if (work.line()) {
      wakes.capacityChanged();
    } else if (work.attempts()) {
      wakes.timePassed();
    }
  }

  private Uni<Void> foldGroups() {
    return groups.allOrApart(
        () -> database.transaction(GroupTable::fold).replaceWithVoid(),
        () -> database.read(session -> GroupTable.unfolded(session, APART)));
  }

  private Uni<Void> foldGroups(List<String> some) {
    return database.transaction(session -> GroupTable.fold(session, some)).replaceWithVoid();
  }
}
