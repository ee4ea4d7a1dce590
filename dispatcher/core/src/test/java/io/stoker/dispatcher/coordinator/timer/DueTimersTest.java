package io.stoker.dispatcher.coordinator.timer;

import static io.stoker.dispatcher.scenario.SmallStore.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.scenario.SmallStore;
import io.stoker.dispatcher.store.Dependencies;
import io.stoker.dispatcher.store.Timers;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DueTimersTest {
  private final Map<TimerRow.Key, TimerRow> due = new LinkedHashMap<>();

  @Test
  void moreThanArriveInASecondRunOutInOneRun() {
    for (int n = 0; n < 2_100; n++) {
      TimerRow timer = new TimerRow(TimerRow.Kind.QUEUE_TIMEOUT, "r" + n, 1);
      due.put(timer.key(), timer);
    }

    timers().run().await().indefinitely();

    assertThat(due).isEmpty();
  }

  private DueTimers timers() {
    SmallStore store =
        new SmallStore(
            Map.of(
                "timers",
                none -> only(Timers.class, Map.of("due", this::due, "stillDue", this::stillDue)),
                "dependencies",
                none ->
                    only(
                        Dependencies.class,
                        Map.of("neverPosted", requests -> Uni.createFrom().item(List.of()))),
                "loadRequests",
                requests -> Uni.createFrom().item(new UnitOfWork(1_000)),
                "write",
                this::write));
    CommitEvents commits = only(CommitEvents.class, Map.of("afterEnds", unit -> null));
    Ends ends = new Ends(store, new CommitFollowUp(commits, SmallStore.statuses()));
    // No time passes, however long the machine is busy with something else.
    Environment still = only(Environment.class, Map.of("nanos", none -> 0L));
    return new DueTimers(still, store, ends, new CodedEnd(store, ends, SmallStore.ASIDES));
  }

  private Uni<List<TimerRow>> due(Object[] given) {
    return Uni.createFrom().item(due.values().stream().limit((int) given[0]).toList());
  }

  private Uni<List<TimerRow>> stillDue(Object[] given) {
    return Uni.createFrom().item(((Collection<?>) given[0]).stream().map(due::get).toList());
  }

  private Uni<Void> write(Object[] given) {
    due.keySet().removeAll(((UnitOfWork) given[0]).stoppedTimers());
    return Uni.createFrom().voidItem();
  }
}
