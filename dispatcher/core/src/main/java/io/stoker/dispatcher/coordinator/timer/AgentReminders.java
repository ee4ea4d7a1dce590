package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.GangStart;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.timer.SweepRules;
import java.util.List;

/** Tells agents again what they may not have heard of attempts that they have accepted. */
public final class AgentReminders {
  private final Store store;
  private final AgentSender agents;
  private final Ends ends;
  private final SetAsides asides;
  private final Isolation<SweepRules.Word> words;
  private final Isolation<String> starts;

  public AgentReminders(Store store, AgentSender agents, Ends ends, SetAsides asides) {
    this.store = store;
    this.agents = agents;
    this.ends = ends;
    this.asides = asides;
    words = asides.isolation("words to agents", SweepRules.Word::job, this::tell);
    starts = asides.isolation("starts of gangs", job -> job, this::start);
  }

  Uni<Void> remind(List<AttemptRow> untold) {
    return asides
        .step("words to agents", () -> words.apply(SweepRules.words(untold)))
        .chain(
            () -> asides.step("starts of gangs", () -> starts.apply(SweepRules.mayStart(untold))));
  }

  private Uni<Void> tell(List<SweepRules.Word> some) {
    return agents.tell(SweepRules.byHost(some));
  }

  /** Members of gangs whose start may not have reached them. */
  private Uni<Void> start(List<String> jobs) {
    return store
        .transaction("starts of gangs", tx -> tx.loadJobs(jobs, false).invoke(GangStart::tellAll))
        .invoke(ends::follow)
        .replaceWithVoid();
  }
}
