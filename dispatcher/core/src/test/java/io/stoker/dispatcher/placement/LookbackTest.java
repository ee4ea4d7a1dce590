package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LookbackTest {
  private static final Shape SLOT =
      new Shape(
          0, 1, null, null, false, null, true, false, null, null, null, 0, null, null, null, null);
  private static final Shape TASK = Shape.of(aRequest("r").workers("iris").build());

  @Test
  void asFarAsThereIsRoomWithinTheBounds() {
    assertThat(lookback(128)).isEqualTo(Lookback.LEAST);
    assertThat(lookback(128, host("a", true, 3))).isEqualTo(Lookback.LEAST);
    assertThat(lookback(128, host("a", true, 30), host("b", true, 20))).isEqualTo(50);
    assertThat(lookback(128, host("a", true, 30), host("b", false, 20))).isEqualTo(30);
    assertThat(lookback(128, host("a", true, 1000))).isEqualTo(128);
    assertThat(lookback(4, host("a", true, 1000))).isEqualTo(4);
  }

  @Test
  void roomOfAnotherKindCountsForNothing() {
    Lookback lookback = Lookback.of(List.of(host("a", true, 3, Map.of("iris", 502))));

    assertThat(lookback.of(SLOT, 128)).isEqualTo(Lookback.LEAST);
    assertThat(lookback.of(TASK, 128)).isEqualTo(128);
    assertThat(lookback.of(Shape.of(aRequest("r").gpus(1).build()), 128)).isEqualTo(Lookback.LEAST);
    assertThat(lookback.of(Shape.of(aRequest("r").workers("other").build()), 128))
        .isEqualTo(Lookback.LEAST);
    assertThat(lookback.ofFront(1_000)).as("whatever it asks for").isEqualTo(502);
  }

  @Test
  void moreIsReadOfThoseLinesAloneForWhichThereIsRoom() {
    Lookback lookback = Lookback.of(List.of(host("a", true, 3, Map.of("iris", 502))));
    LineKey slots = new LineKey("a", SLOT.text(), "");
    LineKey tasks = new LineKey("a", TASK.text(), "");
    LineKey few = new LineKey("b", TASK.text(), "");
    Map<LineKey, Part> lines = new LinkedHashMap<>();
    lines.put(slots, new Part(line("a", 16, SLOT), 16));
    lines.put(tasks, new Part(line("a", 16, TASK), 16));
    lines.put(few, new Part(line("b", 15, TASK), 16));
    LineRead read = new LineRead(lines, List.of(), List.of(), Map.of());

    assertThat(lookback.deeper(read, 128)).containsExactly(Map.entry(tasks, 128));
    assertThat(lookback.likely(read, 128)).containsExactly(Map.entry(tasks, 128));

    LineRead deeper =
        read.with(
            new LineRead(
                Map.of(tasks, new Part(line("a", 100, TASK), 128)),
                List.of(),
                List.of(),
                Map.of()));
    assertThat(lookback.deeper(deeper, 128)).isEmpty();
    assertThat(lookback.likely(deeper, 128)).containsExactly(Map.entry(tasks, 128));
  }

  @Test
  void whoFailedWhereThereIsRoomKeepsNobodyBehindFromBeingRead() {
    LineKey key = new LineKey("a", SLOT.text(), "");
    LineRead read = read(key, failed("h1", 16), 16);
    Lookback back = Lookback.of(List.of(host("h1", true, 20), host("h2", true, 0)));

    assertThat(back.deeper(read, 128)).containsExactly(Map.entry(key, 36));
    assertThat(back.likely(read, 128)).containsExactly(Map.entry(key, 36));
    assertThat(back.deeper(read, 18))
        .as("beside those whom a pass looks at")
        .containsEntry(key, 34);
    assertThat(Lookback.of(List.of(host("h1", true, 0), host("h2", true, 20))).deeper(read, 128))
        .as("they may have it")
        .containsExactly(Map.entry(key, 20));
    assertThat(Lookback.of(List.of(host("h1", true, 0, Map.of("iris", 9)))).deeper(read, 128))
        .as("room of another kind")
        .isEmpty();
  }

  @Test
  void howeverManyFailedWhereThereIsRoom_thoseBehindAreReadInTheEnd() {
    LineKey key = new LineKey("a", SLOT.text(), "");
    Lookback back = Lookback.of(List.of(host("h1", true, 1)));

    assertThat(back.deeper(read(key, failed("h1", 300), 300), 128))
        .as("in few steps")
        .containsEntry(key, 600);
    assertThat(back.likely(read(key, failed("h1", 300), 600), 128)).containsEntry(key, 316);
    assertThat(back.deeper(read(key, failed("h1", Lookback.TOTAL), Lookback.TOTAL), 128))
        .as("no more than of all lines together")
        .isEmpty();
  }

  private static LineRead read(LineKey key, List<QueueHead> heads, int asked) {
    return new LineRead(Map.of(key, new Part(heads, asked)), List.of(), List.of(), Map.of());
  }

  private static List<QueueHead> failed(String host, int length) {
    List<QueueHead> line = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      line.add(QueueHeads.head("a/" + i, "a", SLOT, 0, i, List.of(host), Set.of()));
    }
    return line;
  }

  @Test
  void aLineOfWhichAllWasPlacedMayGoOn() {
    List<QueueHead> sixteen = line("a", 16, SLOT);
    List<QueueHead> three = line("b", 3, SLOT);
    List<QueueHead> all = new ArrayList<>(sixteen);
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
  private static LineRead read(int asked, List<QueueHead>... lines) {
    Map<LineKey, Part> parts = new LinkedHashMap<>();
    for (List<QueueHead> line : lines) {
      QueueHead first = line.getFirst();
      parts.put(new LineKey(first.queue(), first.shape().text(), ""), new Part(line, asked));
    }
    return new LineRead(parts, List.of(), List.of(), Map.of());
  }

  private static Set<String> jobs(List<QueueHead> line) {
    return line.stream().map(QueueHead::job).collect(Collectors.toSet());
  }

  private static List<QueueHead> line(String queue, int length, Shape shape) {
    List<QueueHead> line = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      line.add(QueueHeads.head(queue + "/" + i, queue, shape, 0, i, List.of(), Set.of()));
    }
    return line;
  }

  private static int lookback(int most, Host... hosts) {
    return Lookback.of(List.of(hosts)).of(SLOT, most);
  }

  private static Host host(String id, boolean usable, int freeSlots) {
    return host(id, usable, freeSlots, Map.of());
  }

  private static Host host(String id, boolean usable, int freeSlots, Map<String, Integer> pools) {
    GpuCapacity room = GpuCapacity.of(List.of(), List.of(), List.of(), 0);
    Sharing none = new Sharing(List.of(), room, null, 0);
    return Hosts.host(id, usable ? null : "is away", freeSlots, freeSlots, Map.of(), none, pools);
  }
}
