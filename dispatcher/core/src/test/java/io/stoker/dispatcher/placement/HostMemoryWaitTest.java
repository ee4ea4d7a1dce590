package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.placement.PlacementPass.Decision;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of jobs for which there is too little memory. */
class HostMemoryWaitTest extends HostMemoryScene {
  @Test
  void whoFindsTooLittleSaysSoWithFiguresAndBlocksNobodyBehind() {
    busy("a", 16, "one", 10);
    busy("b", 12, "two", 8);
    head("large", asking(9L), null, 0);
    head("fits", asking(6L), null, 0);

    Decision decision = decide();

    assertThat(decision.assignments()).extracting(Assignment::job).containsExactly("fits");
    assertThat(decision.unplaced().get("large"))
        .isEqualTo(
            new UnschedulableReason(
                UnschedulableReason.Reason.NO_MEMORY,
                "2 of 2 able host(s) have 1 CPU slot(s) free now, and none of them has 9 GiB of"
                    + " host memory left: the most is 6 GiB"));
    assertThat(answers("large"))
        .containsExactly(
            new HostAnswer(
                "a",
                FilterFailure.BUSY_MEMORY,
                "has 6 GiB of memory left of the 9 GiB that it would be promised: 10 GiB of 16 GiB"
                    + " are promised, or taken"),
            new HostAnswer(
                "b",
                FilterFailure.BUSY_MEMORY,
                "has 4 GiB of memory left of the 9 GiB that it would be promised: 8 GiB of 12 GiB"
                    + " are promised, or taken"));
  }

  @Test
  void whatNoHostCanEverServeSaysSoAtOnce() {
    hosts.add(aHost("a").memory(16 * GIB));
    hosts.add(aHost("b").memory(8 * GIB).cordoned());
    head("huge", asking(17L), null, 0);
    head("other", asking(12L), null, 0);

    Decision decision = decide();

    assertThat(decision.unplaced().get("huge"))
        .isEqualTo(
            new UnschedulableReason(
                UnschedulableReason.Reason.UNSATISFIABLE,
                "no host can ever serve 1 CPU slot(s) and 17 GiB of host memory; the most memory"
                    + " that one of 2 host(s) has which could serve it otherwise is 16 GiB"));
    assertThat(answers("huge"))
        .extracting(HostAnswer::obstacle)
        .containsOnly(FilterFailure.TOO_LITTLE_MEMORY);
    assertThat(answers("other"))
        .containsExactly(
            new HostAnswer("a", null, "could take it now"),
            new HostAnswer(
                "b",
                FilterFailure.TOO_LITTLE_MEMORY,
                "has 8 GiB of memory in all, and it is to be promised 12 GiB of host memory"));
  }

  @Test
  void whatIsExpectedToTakeMoreGoesWhereThereIsSoMuchAndElseAnywhereAlone() {
    hosts.add(aHost("a").cpuSlots(8).memory(8 * GIB));
    hosts.add(aHost("b").cpuSlots(1).memory(16 * GIB));
    head("first", asking(null), 12L, 0);
    head("second", asking(null), 12L, 0);
    head("third", asking(null), 17L, 0);
    head("known-little", asking(1L), null, 0);

    Decision decision = decide();

    assertThat(placed()).isEqualTo(Map.of("first", "b", "third", "a"));
    assertThat(decision.unplaced().get("second").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_ROOM);
    assertThat(decision.unplaced().get("known-little").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_MEMORY);
  }

  @Test
  void whatRanOutGoesWhereMostIsLeft() {
    hosts.add(aHost("a").cpuSlots(8).memory(8 * GIB));
    hosts.add(aHost("b").cpuSlots(2).memory(32 * GIB));
    head("first", asking(2L), null, 0);
    head("again", asking(2L), null, 1);

    assertThat(placed()).isEqualTo(Map.of("first", "a", "again", "b"));
  }

  @Test
  void aHostIsKeptUntilThereIsEnoughMemoryForOneThatWaitedLong() {
    busy("a", 16, "one", 8);
    busy("b", 16, "two", 4);
    head("large", asking(14L), null, 0);
    head("small", asking(3L), null, 0);
    head("unknown", asking(null), null, 0);

    Decision first = decide(NOW + PATIENCE);

    assertThat(first.reservations())
        .containsExactly(new Reservation("large", "default", List.of("b"), NOW + PATIENCE));
    assertThat(first.unplaced().get("large").sentence())
        .isEqualTo(
            "host b is kept free for it: 8 of 1 CPU slot(s); it has 12 GiB of memory left of the 14"
                + " GiB that it would be promised: 4 GiB of 16 GiB are promised, or taken");
    assertThat(
            first.assignments().stream()
                .filter(given -> given.job().equals("small"))
                .map(Assignment::host))
        .as("what is kept is no other's")
        .containsExactly("a");

    reservations = first.reservations();
    open.removeLast();
    assertThat(placed()).containsEntry("large", "b");
  }
}
