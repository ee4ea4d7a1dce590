package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DepthTest {
  private static final Shape SLOT =
      new Shape(
          0, 1, null, null, false, null, true, false, null, null, null, 0, null, null, null, null);
  private static final Shape TASK = Shape.of(aRequest("r").workers("iris").build());

  @Test
  void asFarAsThereIsRoomWithinTheBounds() {
    assertThat(depth(128)).isEqualTo(Depth.LEAST);
    assertThat(depth(128, host("a", true, 3))).isEqualTo(Depth.LEAST);
    assertThat(depth(128, host("a", true, 30), host("b", true, 20))).isEqualTo(50);
    assertThat(depth(128, host("a", true, 30), host("b", false, 20))).isEqualTo(30);
    assertThat(depth(128, host("a", true, 1000))).isEqualTo(128);
    assertThat(depth(4, host("a", true, 1000))).isEqualTo(4);
  }

  @Test
  void roomOfAnotherKindCountsForNothing() {
    Depth depth = Depth.of(List.of(host("a", true, 3).withPools(Map.of("iris", 502))));

    assertThat(depth.of(SLOT, 128)).isEqualTo(Depth.LEAST);
    assertThat(depth.of(TASK, 128)).isEqualTo(128);
    assertThat(depth.of(Shape.of(aRequest("r").gpus(1).build()), 128)).isEqualTo(Depth.LEAST);
    assertThat(depth.of(Shape.of(aRequest("r").workers("other").build()), 128))
        .isEqualTo(Depth.LEAST);
    assertThat(depth.ofFront(1_000)).as("whatever it asks for").isEqualTo(502);
  }

  @Test
  void moreIsReadOfThoseLinesAloneForWhichThereIsRoom() {
    Depth depth = Depth.of(List.of(host("a", true, 3).withPools(Map.of("iris", 502))));
    LineKey slots = new LineKey("a", SLOT.text(), "");
    LineKey tasks = new LineKey("a", TASK.text(), "");
    LineKey few = new LineKey("b", TASK.text(), "");
    Map<LineKey, Part> lines = new LinkedHashMap<>();
    lines.put(slots, new Part(line("a", 16, SLOT), 16));
    lines.put(tasks, new Part(line("a", 16, TASK), 16));
    lines.put(few, new Part(line("b", 15, TASK), 16));
    LineRead read = new LineRead(lines, List.of(), List.of(), Map.of());

    assertThat(depth.deeper(read, 128)).containsExactly(Map.entry(tasks, 128));
    assertThat(depth.likely(read, 128)).containsExactly(Map.entry(tasks, 128));

    LineRead deeper =
        read.with(
            new LineRead(
                Map.of(tasks, new Part(line("a", 100, TASK), 128)),
                List.of(),
                List.of(),
                Map.of()));
    assertThat(depth.deeper(deeper, 128)).isEmpty();
    assertThat(depth.likely(deeper, 128)).containsExactly(Map.entry(tasks, 128));
  }

  @Test
  void aLineOfWhichAllWasPlacedMayGoOn() {
    List<Head> sixteen = line("a", 16, SLOT);
    List<Head> three = line("b", 3, SLOT);
    List<Head> all = new ArrayList<>(sixteen);
    all.addAll(three);
    LineRead read = read(16, sixteen, three);

    assertThat(read.ended(jobs(all))).isTrue();
    assertThat(read.ended(jobs(sixteen))).isTrue();
    assertThat(read.ended(jobs(sixteen.subList(0, 15)))).isFalse();
    assertThat(read.ended(jobs(three))).isFalse();
    assertThat(read(17, sixteen, three).ended(jobs(all))).isFalse();
    assertThat(read(16).ended(Set.of())).isFalse();
  }

  @SafeVarargs
  private static LineRead read(int asked, List<Head>... lines) {
    Map<LineKey, Part> parts = new LinkedHashMap<>();
    for (List<Head> line : lines) {
      Head first = line.getFirst();
      parts.put(new LineKey(first.queue(), first.shape().text(), ""), new Part(line, asked));
    }
    return new LineRead(parts, List.of(), List.of(), Map.of());
  }

  private static Set<String> jobs(List<Head> line) {
    return line.stream().map(Head::job).collect(Collectors.toSet());
  }

  private static List<Head> line(String queue, int length, Shape shape) {
    List<Head> line = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      line.add(Heads.head(queue + "/" + i, queue, shape, 0, i, List.of(), Set.of()));
    }
    return line;
  }

  private static int depth(int most, Host... hosts) {
    return Depth.of(List.of(hosts)).of(SLOT, most);
  }

  private static Host host(String id, boolean usable, int freeSlots) {
    GpuRoom room = GpuRoom.of(List.of(), List.of(), List.of(), 0);
    Sharing none = new Sharing(List.of(), room, null, 0);
    return new Host(id, usable, null, 0, freeSlots, freeSlots, 0, Map.of(), none);
  }
}
