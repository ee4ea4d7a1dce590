package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was measured decides what is packed where. */
class MemoryPackingTest {
  private static final long GIB = 1L << 30;

  private final List<Host> hosts = new ArrayList<>();
  private final List<QueueHead> heads = new ArrayList<>();

  /** Five of them wait for one GPU of 16 GiB. */
  @ParameterizedTest
  @CsvSource({
    // declared, expected, ran out; placed, promised each
    ", , false, 1, ",
    ", 3.3, false, 4, 3.3",
    "8, 3.3, false, 4, 3.3",
    "3, 7, false, 2, 7",
    "99, 3.3, false, 4, 3.3",
    "3, 17, false, 1, ",
    "3, , false, 5, 3",
    "3, 3.3, true, 1, ",
  })
  void whatWasMeasuredCountsMoreThanWhatIsDeclared(
      Integer declared, Double expected, boolean ranOut, int placed, Double promised) {
    fleet("h", 16);
    for (int i = 0; i < 5; i++) {
      head("job-" + i, sharing(declared), expected == null ? null : bytes(expected), ranOut);
    }

    List<Assignment> assignments = decide().assignments();

    assertThat(assignments)
        .hasSize(placed)
        .extracting(one -> one.takes().gpuMemory())
        .containsOnly(promised == null ? null : bytes(promised));
  }

  @Test
  void whatIsExpectedNeverKeepsAJobFromEveryHost() {
    fleet("small", 16);
    head("large", aRequest("r").gpus(1), 40 * GIB, false);
    head("sharer", sharing(null), 40 * GIB, false);

    assertThat(decide().assignments())
        .containsExactly(new Assignment("large", "small", Takes.of(1, 0)));
    assertThat(decide().unplaced().get("sharer").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_ROOM);
  }

  @Test
  void aHostWithGpusLargeEnoughIsTakenFirst() {
    fleet("a-small", 16);
    fleet("b-large", 80);
    head("big", aRequest("r").gpus(1), 40 * GIB, false);
    head("little", aRequest("r").gpus(1), 4 * GIB, false);

    assertThat(placed()).isEqualTo(Map.of("big", "b-large", "little", "a-small"));
  }

  @Test
  void whatRanOutOfMemoryGetsTheLargestAlone() {
    fleet("a-small", 16);
    fleet("b-large", 80);
    fleet("c-middle", 40);
    head("again", sharing(2), 3 * GIB, true);

    assertThat(decide().assignments())
        .containsExactly(new Assignment("again", "b-large", Takes.of(1, 0)));
  }

  @Test
  void jobsOfOneShapeOfWhichOneIsExpectedToTakeLessAreLookedAtApart() {
    fleet("h", 16);
    head("first", sharing(null), 10 * GIB, false);
    head("too-large", sharing(null), 10 * GIB, false);
    head("fits", sharing(null), 5 * GIB, false);

    assertThat(placed().keySet()).containsExactlyInAnyOrder("first", "fits");
  }

  private static ARequest sharing(Integer declaredGib) {
    ARequest request = aRequest("r").gpus(1).resource("sharing", "shared");
    return declaredGib == null ? request : request.resource("gpuMemory", declaredGib + "GiB");
  }

  private static long bytes(double gib) {
    return (long) (gib * GIB);
  }

  private void fleet(String id, long gib) {
    List<DeviceInfo> devices = List.of(new DeviceInfo("0", "GPU-" + id, "fake", gib * GIB, "9.0"));
    hosts.add(Hosts.unshared(id, null, devices, 1, Map.of()));
  }

  private void head(String job, ARequest request, Long expected, boolean ranOut) {
    var built = request.build();
    Memory memory = new Memory(new MemoryKeys("f-" + job, "p"), expected, ranOut);
    heads.add(
        new QueueHead(
            job,
            built.queue(),
            Shape.of(built.resources()),
            0,
            heads.size() + 1,
            Avoid.NOTHING,
            Set.of(),
            memory));
  }

  private Decision decide() {
    return PlacementPass.decide(new Snapshot(hosts, heads), Long.MAX_VALUE);
  }

  private Map<String, String> placed() {
    return decide().assignments().stream()
        .collect(Collectors.toMap(Assignment::job, Assignment::host));
  }
}
