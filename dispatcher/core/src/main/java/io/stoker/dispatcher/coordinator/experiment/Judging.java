package io.stoker.dispatcher.coordinator.experiment;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.EarlyStopPlan;
import io.stoker.dispatcher.experiment.EarlyStopRules;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Standing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * Has jobs judged off the event loop, since curves take their time, and waits for each verdict for
 * so long at most: a job of which none comes goes on, and whatever comes later is not heard.
 *
 * @param patience with a single verdict
 * @param said told of each that is waited for no longer
 */
record Judging(
    Rules rules, Duration patience, ScheduledExecutorService workers, Consumer<String> said) {
  /** As {@link EarlyStopRules#judge}. */
  interface Rules {
    Optional<String> judge(
        EarlyStopPlan plan, Objective objective, Standing own, double[] scores, List<Standing> all);
  }

  /** Why the job is to be stopped; nothing if it goes on. */
  Uni<Optional<String>> judge(Plan plan, Standing own, double[] scores, List<Standing> all) {
    return Uni.createFrom()
        .item(() -> rules.judge(plan.stopping(), plan.objective(), own, scores, all))
        .runSubscriptionOn(workers)
        .ifNoItem()
        .after(patience)
        .on(workers)
        .recoverWithItem(
            () -> {
              said.accept(
                  "job %s goes on: it was not judged by its first %d results within %d s"
                      .formatted(own.job(), own.upToIt().count(), patience.toSeconds()));
              return Optional.empty();
            });
  }
}
