package io.stoker.dispatcher.coordinator.experiment;

import static io.stoker.dispatcher.scenario.SmallStore.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.experiment.ExperimentRules.Tally;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Progress;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.SmallStore;
import io.stoker.dispatcher.store.Experiments;
import io.stoker.dispatcher.store.Experiments.Member;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups that have so many requests that ending them takes long. */
@Timeout(60)
class EndingGroupsTest {
  private static final int TURN = ExperimentLifecycle.CHUNK * ExperimentLifecycle.CHUNKS;
  private static final int TOTAL = 3 * TURN + 5;
  private static final ExperimentRow ROW =
      new ExperimentRow("g", Plan.plain(null), State.STOPPING, "why", 1L, null, null, null);

  /** By what comes after them: in order of arrival, each once. */
  private final SortedSet<Long> asked = new ConcurrentSkipListSet<>();

  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger loads = new AtomicInteger();
  private final CountDownLatch over = new CountDownLatch(1);
  private final SmallStore store =
      new SmallStore(
          Map.of(
              "experiments",
              none -> experiments(),
              "loadRequests",
              ids -> load((List<?>) ids[0]),
              "write",
              unit -> Uni.createFrom().voidItem()));
  private final Ends ends =
      new Ends(
          store,
          new CommitFollowUp(
              only(CommitEvents.class, Map.of("afterEnds", unit -> null)), SmallStore.statuses()));
  private final ExperimentLifecycle groups =
      new ExperimentLifecycle(SmallStore.ENVIRONMENT, store, ends, SmallStore.ASIDES);

  @Test
  void whoAsksForTheEndOfOneWaitsForOneTurnAlone() {
    groups.look("g").await().indefinitely();

    assertThat(ended).hasValue(TURN);
  }

  @Test
  void theSchedulerComesToItsEndTurnByTurnAndReadsNoPartTwice() throws InterruptedException {
    groups.wake();
    over.await();
    groups.stop();

    assertThat(asked).hasSize(TOTAL / ExperimentLifecycle.CHUNK + 1);
    assertThat(loads).hasValue(asked.size());
  }

  private Experiments experiments() {
    Progress progress = new Progress(ROW, new Tally(TOTAL, ended.get(), 0, 0, true, true));
    return only(
        Experiments.class,
        Map.of(
            "open",
            none -> Uni.createFrom().item(List.of(progress)),
            "progress",
            names -> Uni.createFrom().item(List.of(progress)),
            "unended",
            given -> Uni.createFrom().item(unended((Member) given[2], (int) given[3]))));
  }

  private List<Member> unended(Member after, int most) {
    asked.add(after.seq());
    return IntStream.rangeClosed((int) after.seq() + 1, TOTAL)
        .limit(most)
        .mapToObj(n -> new Member(n, "r" + n))
        .toList();
  }

  private Uni<UnitOfWork> load(List<?> ids) {
    loads.incrementAndGet();
    if (ended.addAndGet(ids.size()) == TOTAL) {
      over.countDown();
    }
    UnitOfWork unit = new UnitOfWork(1_000);
    unit.requests()
        .loadAll(ids.stream().map(String.class::cast).map(RequestRow::placeholder).toList());
    return Uni.createFrom().item(unit);
  }
}
