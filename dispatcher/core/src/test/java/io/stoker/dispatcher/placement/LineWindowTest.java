package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.LineWindow.Outcome;
import io.stoker.dispatcher.placement.LineWindow.Turn;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Lines by the thousand, each of one job, read as the database reads them. */
class LineWindowTest {
  private static final Outcome FULL = new Outcome(false, false, 1);
  private static final Outcome ROOM = new Outcome(true, false, 1);
  private static final Shape SHAPE = Shape.of(aRequest("r").build());

  private final TreeMap<String, TreeSet<String>> shapes = new TreeMap<>();
  private LineWindow window = LineWindow.START;
  private int reads;

  private void lines(String queue, int count) {
    for (int i = 0; i < count; i++) {
      shapes.computeIfAbsent(queue, any -> new TreeSet<>()).add("%06d".formatted(i));
    }
  }

  private LineRead pass(Outcome outcome, long now) {
    LineRead read = read();
    if (window.tooMany(read)) {
      window = window.byTurns();
      read = read();
    }
    window = window.after(read, outcome, now).before(10, Map.of(), 128);
    return read;
  }

  /** As ReadyTable. */
  private LineRead read() {
    Map<LineKey, Part> lines = new LinkedHashMap<>();
    List<QueueHead> front = new ArrayList<>();
    if (!window.many()) {
      shapes.forEach(
          (queue, all) ->
              all.stream()
                  .limit(window.whole() - lines.size())
                  .forEach(shape -> add(lines, queue, shape)));
    } else {
      int share = LineWindow.shareOf(shapes.size(), window.whole());
      shapes.forEach(
          (queue, all) -> {
            Turn turn = window.turns().get(queue);
            all.tailSet(turn == null ? "" : turn.shape(), false).stream()
                .limit(turn == null ? share : window.linesOfEach())
                .forEach(shape -> add(lines, queue, shape));
            if (turn != null) {
              all.stream()
                  .limit(window.frontOfEach())
                  .forEach(shape -> front.add(head(queue, shape)));
            }
          });
    }
    reads += lines.size() + front.size();
    return new LineRead(lines, front, List.of(), Map.of());
  }

  private static void add(Map<LineKey, Part> lines, String queue, String shape) {
    lines.put(new LineKey(queue, shape, ""), new Part(List.of(head(queue, shape)), 2));
  }

  private static QueueHead head(String queue, String shape) {
    return QueueHeads.head(queue + shape, queue, SHAPE, 0, 1, List.of(), Set.of());
  }

  @Test
  void fewLinesAreReadWhole() {
    lines("a", 250);
    lines("b", 250);

    assertThat(pass(FULL, 0).lines()).hasSize(500);
    assertThat(window.many()).isFalse();
  }

  @Test
  void whatAPassReadsIsBoundedHoweverManyLinesThereAre() {
    lines("a", 50_000);
    pass(FULL, 0);
    int first = reads;
    for (int i = 0; i < 100; i++) {
      pass(ROOM, i);
    }

    assertThat(first).isLessThanOrEqualTo(2 * LineWindow.MOST_WHOLE);
    assertThat((reads - first) / 100).isLessThanOrEqualTo(LineWindow.MOST_TURNS + 128);
  }

  @Test
  void eachLineGetsItsTurnAndTheFrontIsAlwaysSeen() {
    lines("a", 5_000);
    lines("b", 3_000);
    lines("c", 3);
    Set<LineKey> seen = new HashSet<>();
    int passes = 0;
    while (seen.size() < 8_003) {
      LineRead read = pass(FULL, passes);
      seen.addAll(read.lines().keySet());
      if (passes++ > 0) {
        assertThat(read.front()).extracting(QueueHead::job).contains("a000000", "b000000");
        assertThat(read.of("c")).as("queues with few lines notice nothing").hasSize(3);
      }
      assertThat(passes).isLessThan(600);
    }
  }

  @Test
  void allAreGoneThroughAtOnceWhileThereIsRoom() {
    lines("a", 50_000);
    pass(ROOM, 0);
    int passes = 1;
    while (window.goesOn()) {
      pass(ROOM, passes++);
    }

    assertThat(passes).as("twice around and no more").isBetween(190, 220);
    assertThat(window.lines()).isEqualTo(LineWindow.FEWEST_TURNS);

    pass(ROOM, LineWindow.REST_MS);
    assertThat(window.goesOn()).as("in vain a moment ago").isFalse();
    pass(ROOM, passes + LineWindow.REST_MS);
    assertThat(window.goesOn()).isTrue();
  }

  @Test
  void whoFindsSomethingGoesOn() {
    lines("a", 3_000);
    for (int i = 0; i < 100; i++) {
      pass(new Outcome(true, true, 1), i);
      assertThat(window.goesOn()).isTrue();
    }
  }

  @Test
  void whileTheFrontFillsAllRoomFewTurnsAreTaken() {
    lines("a", 3_000);
    pass(ROOM, 0);
    pass(ROOM, 1);
    assertThat(window.lines()).isGreaterThan(LineWindow.FEWEST_TURNS);
    pass(FULL, 2);

    assertThat(window.lines()).isEqualTo(LineWindow.FEWEST_TURNS);
    assertThat(window.goesOn()).isFalse();
  }

  @Test
  void afterALongDecisionFewerTurnsAreTaken() {
    lines("a", 50_000);
    for (int i = 0; i < 10; i++) {
      pass(ROOM, i);
    }
    int before = window.lines();

    pass(new Outcome(true, false, LineWindow.BUDGET_MS + 1), 10);

    assertThat(window.lines()).isEqualTo(before / 2);
  }

  @Test
  void withMoreHostsFewerLinesAreLookedAt() {
    assertThat(LineWindow.START.before(10, Map.of(), 16).whole()).isEqualTo(512);
    assertThat(LineWindow.START.before(1_000, Map.of(), 16).whole()).isEqualTo(100);
    assertThat(LineWindow.START.before(1_000_000, Map.of(), 16).whole())
        .isEqualTo(LineWindow.FEWEST_TURNS);
  }

  @Test
  void onceFewAreLeftTheyAreReadWholeAgain() {
    lines("a", 3_000);
    lines("b", 2);
    pass(FULL, 0);
    assertThat(window.many()).isTrue();
    shapes.get("a").removeIf(shape -> shape.compareTo("000100") >= 0);
    for (int i = 1; i < 20; i++) {
      pass(FULL, i);
    }

    assertThat(window.many()).isFalse();
    assertThat(window.turns()).isEmpty();
    assertThat(pass(FULL, 20).lines()).hasSize(102);
  }

  @Test
  void aQueueThatIsGoneIsForgotten() {
    lines("a", 3_000);
    pass(FULL, 0);
    shapes.clear();
    pass(FULL, 1);

    assertThat(window.turns()).isEmpty();
    assertThat(window.many()).isFalse();
  }
}
