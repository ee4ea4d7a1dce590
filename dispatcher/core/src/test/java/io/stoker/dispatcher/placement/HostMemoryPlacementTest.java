package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts are chosen by the memory that they have left. Sizes are in GiB. */
class HostMemoryPlacementTest extends HostMemoryScene {
  /** Five of them wait for one host of 16 GiB with 8 CPU slots. */
  @ParameterizedTest
  @CsvSource({
    // says, was measured, times it ran out; placed, promised each
    ", , 0, 5, ",
    "4, , 0, 4, 4",
    "4, 3, 0, 5, 3",
    "2, 7, 0, 2, 7",
    ", 5, 0, 3, 5",
    ", 40, 0, 1, 16",
    "16, , 0, 1, 16",
    "17, , 0, 0, ",
    "17, 3, 0, 5, 3",
    "4, , 1, 2, 6",
    ", 4, 1, 2, 6",
    "12, , 1, 1, 16",
    "1, , 2, 1, 16",
    ", , 1, 5, ",
    ", , 2, 1, 16",
  })
  void whatWasMeasuredCountsMoreThanWhatIsSaid(
      Long says, Long measured, int ranOut, int placed, Long promised) {
    hosts.add(aHost("h").cpuSlots(8).memory(16 * GIB));
    for (int i = 0; i < 5; i++) {
      head("job-" + i, asking(says), measured, ranOut);
    }

    List<Assignment> assignments = decide().assignments();

    assertThat(assignments).hasSize(placed);
    if (placed > 0) {
      assertThat(assignments)
          .extracting(one -> one.takes().hostMemory())
          .containsOnly(promised == null ? null : promised * GIB);
    }
  }

  @Test
  void aHostThatDoesNotTellHasNoLimit() {
    hosts.add(aHost("old").cpuSlots(8));
    for (int i = 0; i < 5; i++) {
      head("job-" + i, asking(1_000L), null, 0);
    }

    assertThat(decide().assignments()).hasSize(5);
  }

  @Test
  void whatLiveAttemptsWerePromisedIsGone() {
    hosts.add(aHost("a").cpuSlots(8).memory(16 * GIB));
    hosts.add(aHost("b").cpuSlots(2).memory(16 * GIB));
    open.add(runs("one", "a", 10));
    head("large", asking(8L), null, 0);
    head("small", asking(6L), null, 0);

    assertThat(placed()).isEqualTo(Map.of("large", "b", "small", "a"));
  }

  @Test
  void aGangIsPromisedItOnEachOfItsHosts() {
    hosts.add(aHost("a").memory(8 * GIB));
    hosts.add(aHost("b").memory(8 * GIB));
    hosts.add(aHost("c").memory(4 * GIB));
    head("gang", asking(6L).resource("hosts", 2), null, 0);
    head("too-many", asking(6L).resource("hosts", 3), null, 0);

    Decision decision = decide();

    assertThat(decision.assignments())
        .extracting(Assignment::host, one -> one.takes().hostMemory())
        .containsExactlyInAnyOrder(tuple("a", 6 * GIB), tuple("b", 6 * GIB));
    assertThat(decision.unplaced().get("too-many"))
        .isEqualTo(
            new UnschedulableReason(
                UnschedulableReason.Reason.UNSATISFIABLE,
                "needs 3 hosts with 1 CPU slot(s) and 6 GiB of host memory at once, and 2 can ever"
                    + " serve it"));
  }

  @Test
  void aContainerThatTakesNoCpuSlotIsPromisedItAsAProcessIs() {
    hosts.add(aHost("a").memory(8 * GIB).runner("container", 5));
    head("one", asking(6L).with("image", "i").resource("cpus", 0), null, 0);
    head("two", asking(6L).with("image", "i").resource("cpus", 0), null, 0);

    assertThat(placed()).isEqualTo(Map.of("one", "a"));
  }

  @Test
  void jobsOfPoolsTakeNone() {
    hosts.add(aHost("a").memory(8 * GIB).pool("echo", 3));
    open.add(runs("one", "a", 8));
    head("piece", aRequest("r").workers("echo"), null, 0);

    assertThat(placed()).isEqualTo(Map.of("piece", "a"));
  }

  @Test
  void theViewSaysWhatIsKnownAndWhatFollows() {
    assertThat(view(null, null, 0).sentence())
        .isEqualTo(
            "nothing like it was measured yet; the request says nothing; it is placed whatever"
                + " memory is left");
    assertThat(view(6L, null, 0).sentence())
        .endsWith("the request says 6 GiB; it is placed where 6 GiB is left");
    assertThat(view(6L, 3L, 0).sentence())
        .isEqualTo(
            "it is expected to take 3 GiB of host memory: of 1 job(s) like it measured, 100 % took 3"
                + " GiB at most, and a margin; the request says 6 GiB; it is placed where 3 GiB is"
                + " left");
    assertThat(view(6L, null, 1).sentence())
        .endsWith(
            "it is placed where 9 GiB is left, more than before, since it ran out of host memory");
    assertThat(view(6L, null, 2).sentence())
        .endsWith("since it ran out of host memory 2 times, it gets all memory of a host");
    assertThat(view(6L, null, 2).promised()).isNull();
    assertThat(view(6L, null, 1).promised()).isEqualTo(9 * GIB);
  }

  private static HostMemoryView view(Long says, Long measured, int ranOut) {
    return HostMemoryView.of(Shape.of(asking(says).build().resources()), known(measured, ranOut));
  }
}
