package io.stoker.dispatcher.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DepthTest {
  private static final Shape SLOT =
      new Shape(0, 1, null, null, false, null, true, false, null, null, null);

  @Test
  void asFarAsThereIsRoomWithinTheBounds() {
    assertThat(Depth.of(List.of(), 128)).isEqualTo(Depth.LEAST);
    assertThat(Depth.of(List.of(host("a", true, 3)), 128)).isEqualTo(Depth.LEAST);
    assertThat(Depth.of(List.of(host("a", true, 30), host("b", true, 20)), 128)).isEqualTo(50);
    assertThat(Depth.of(List.of(host("a", true, 30), host("b", false, 20)), 128)).isEqualTo(30);
    assertThat(Depth.of(List.of(host("a", true, 1000)), 128)).isEqualTo(128);
    assertThat(Depth.of(List.of(host("a", true, 1000)), 4)).isEqualTo(4);
  }

  @Test
  void aLineOfWhichAllWasPlacedMayGoOn() {
    List<Head> line = new ArrayList<>(line("a", 16));
    line.addAll(line("b", 3));

    assertThat(Depth.ended(line, 16, jobs(line))).isTrue();
    assertThat(Depth.ended(line, 16, jobs(line("a", 16)))).isTrue();
    assertThat(Depth.ended(line, 16, jobs(line("a", 15)))).isFalse();
    assertThat(Depth.ended(line, 16, jobs(line("b", 3)))).isFalse();
    assertThat(Depth.ended(line, 17, jobs(line))).isFalse();
    assertThat(Depth.ended(List.of(), 16, Set.of())).isFalse();
  }

  @Test
  void whereFewOfEachAreReadThatIsKnown() {
    List<Head> line = new ArrayList<>();
    for (int queue = 0; queue < Depth.TOTAL; queue++) {
      line.addAll(line("queue-" + queue, Depth.FEWEST));
    }
    assertThat(Depth.ended(line, 16, jobs(line("queue-7", Depth.FEWEST)))).isTrue();
  }

  private static Set<String> jobs(List<Head> line) {
    return line.stream().map(Head::job).collect(Collectors.toSet());
  }

  private static List<Head> line(String queue, int length) {
    List<Head> line = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      line.add(new Head(queue + "/" + i, queue, SLOT, 0, i, List.of(), Set.of()));
    }
    return line;
  }

  private static Host host(String id, boolean usable, int freeSlots) {
    GpuRoom room = GpuRoom.of(List.of(), List.of(), List.of(), 0);
    Sharing none = new Sharing(List.of(), room, null, 0);
    return new Host(id, usable, null, 0, freeSlots, freeSlots, 0, Map.of(), none);
  }
}
