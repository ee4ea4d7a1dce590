package io.stoker.dispatcher.service.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.experiment.Experiments;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.GroupTable;
import io.stoker.dispatcher.service.postgres.Unreadable;
import io.stoker.dispatcher.service.report.ReportMailer;
import io.stoker.dispatcher.store.PendingWork;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** What the scheduler does each second beside what jobs wait for. */
@ApplicationScoped
public class FurtherSteps {
  /** Groups that are folded apart in one sweep, where all together fail. */
  private static final int APART = 1_000;

  private final Database database;
  private final UsageBook usage;
  private final MemoryBook memory;
  private final SuspectBook suspects;
  private final Experiments experiments;
  private final ReportMailer mailer;
  private final SetAsides asides;
  private final Isolation<String> groups;

  FurtherSteps(
      Database database,
      UsageBook usage,
      MemoryBook memory,
      SuspectBook suspects,
      Experiments experiments,
      ReportMailer mailer,
      SetAsides asides) {
    this.database = database;
    this.usage = usage;
    this.memory = memory;
    this.suspects = suspects;
    this.experiments = experiments;
    this.mailer = mailer;
    this.asides = asides;
    groups = asides.isolation("groups", group -> group, this::foldGroups);
  }

  /** In their order. */
  public List<Step> all() {
    return List.of(
        new Step("usage", PendingWork::usage, work -> usage.fold()),
        new Step("memory", PendingWork::memory, work -> memory.fold()),
        new Step(
            "suspects",
            work -> work.launches() || suspects.holdsAnything(),
            work -> suspects.fold()),
        new Step("groups", PendingWork::groups, work -> foldGroups()),
        new Step("experiments", PendingWork::experiments, work -> experiments.look()),
        new Step("mail", work -> true, work -> mailer.look()),
        new Step("unreadable rows", work -> true, work -> showUnreadable()));
  }

  /** What was stored and cannot be read. */
  private Uni<Void> showUnreadable() {
    for (Unreadable.Found found : Unreadable.found()) {
      asides.failed("reading stored rows", found.what(), found.why());
    }
    return Uni.createFrom().voidItem();
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
