package io.stoker.dispatcher.coordinator.experiment;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.SmallStore.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.Experiment;
import io.stoker.common.message.Experiment.EarlyStopping;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.PlanRefused;
import io.stoker.dispatcher.experiment.Reached;
import io.stoker.dispatcher.experiment.Standing;
import io.stoker.dispatcher.experiment.Standing.Scores;
import io.stoker.dispatcher.model.IntermediateRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.Scene;
import io.stoker.dispatcher.scenario.SmallStore;
import io.stoker.dispatcher.store.Experiments;
import io.stoker.dispatcher.store.Intermediates;
import io.stoker.dispatcher.store.Jobs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Groups and jobs that cannot be judged keep no others from being judged. */
class EarlyStopperTest {
  private static final int EACH = 6;

  private final Scene scene = new Scene();
  private final Set<String> read = new ConcurrentSkipListSet<>();
  private final CountDownLatch toRead = new CountDownLatch(EACH);
  private final Set<String> stopped = new ConcurrentSkipListSet<>();
  private final CountDownLatch toStop = new CountDownLatch(EACH);
  private final SmallStore store =
      new SmallStore(
          Map.of(
              "experiments",
              none -> only(Experiments.class, Map.of("find", EarlyStopperTest::find)),
              "intermediates",
              none -> intermediates(),
              "jobs",
              none -> only(Jobs.class, Map.of("read", given -> stop((Collection<?>) given[0])))));
  private final EarlyStopper stopper =
      new EarlyStopper(
          SmallStore.ENVIRONMENT,
          store,
          new Ends(
              store,
              new CommitFollowUp(only(CommitEvents.class, Map.of()), SmallStore.statuses())));

  @Test
  void oneGroupThatCannotBeReadKeepsNoOtherFromBeingJudged() throws InterruptedException {
    Set<String> good = new TreeSet<>();
    for (int i = 0; i < EACH; i++) {
      good.add(posted("good-" + i));
      posted("bad-" + i);
    }

    stopper.note(said());

    assertThat(toRead.await(10, TimeUnit.SECONDS)).as("only %s", read).isTrue();
    assertThat(read).isEqualTo(good);
  }

  @Test
  void oneJobThatCannotBeStoppedKeepsNoOtherFromThat() throws InterruptedException {
    Set<String> jobs = new TreeSet<>();
    IntStream.range(0, EACH).forEach(i -> jobs.add(posted("worst", "worst-" + i)));

    stopper.note(said());

    assertThat(toStop.await(10, TimeUnit.SECONDS)).as("only %s", stopped).isTrue();
    assertThat(stopped).isEqualTo(jobs);
  }

  private Uni<?> stop(Collection<?> jobs) {
    jobs.forEach(job -> stopped.add(job.toString()));
    toStop.countDown();
    return Uni.createFrom().failure(new IllegalStateException("it cannot be stopped"));
  }

  private String posted(String group) {
    return posted(group, group);
  }

  private String posted(String group, String id) {
    scene.post(aRequest(id).with("group", group));
    return scene.job(id).id();
  }

  private UnitOfWork said() {
    return scene.transaction(
        unit ->
            unit.jobs()
                .all()
                .forEach(job -> unit.said(new IntermediateRow(job.id(), 1, 1, 1, 0.5, null))));
  }

  private static Uni<?> find(Object[] given) {
    if (given[0].toString().startsWith("bad")) {
      return Uni.createFrom().failure(new IllegalStateException("its plan cannot be read"));
    }
    try {
      Plan plan =
          Plan.of(
              "g",
              null,
              new Experiment(
                  null, null, null, null, new EarlyStopping("bandit", null, null, 1.0, null)));
      return Uni.createFrom()
          .item(
              Optional.of(
                  new ExperimentRow(
                      given[0].toString(), plan, State.RUNNING, null, 1, null, null, null)));
    } catch (PlanRefused e) {
      throw new AssertionError(e);
    }
  }

  private Intermediates intermediates() {
    return only(
        Intermediates.class,
        Map.of(
            "reached",
            given -> item(reached((Collection<?>) given[0])),
            "standings",
            given -> item(standings()),
            "first",
            given -> item(given[0] instanceof Collection<?> jobs ? Set.copyOf(jobs) : Set.of())));
  }

  private List<Reached> reached(Collection<?> jobs) {
    jobs.forEach(job -> read.add(job.toString()));
    toRead.countDown();
    return jobs.stream().map(job -> new Reached(job.toString(), 1, 0)).toList();
  }

  /** All are worse than one that has finished. */
  private List<Standing> standings() {
    List<Standing> all = new ArrayList<>();
    all.add(standing("finished", 1, OptionalDouble.of(1)));
    scene.store().jobs().stream()
        .map(job -> standing(job.id(), 0.5, OptionalDouble.empty()))
        .forEach(all::add);
    return all;
  }

  private static Standing standing(String job, double score, OptionalDouble end) {
    return new Standing(job, new Scores(1, score, score, score), score, end);
  }

  private static Uni<?> item(Object what) {
    return Uni.createFrom().item(what);
  }
}
