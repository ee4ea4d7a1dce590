package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.LineRead.Reach;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Where lines begin: never behind a job that this replica has put there. */
class LineStartsTest {
  private static final Shape SHAPE = Shape.of(aRequest("r").build());
  private static final LineKey A = key("a");
  private static final LineKey B = key("b");

  private final LineStarts starts = new LineStarts();

  @Test
  void areKnown_onceAllLinesWereRead() {
    starts.note(List.of(row("a", 5)));
    assertThat(starts.areKnown()).isFalse();

    readAll(starts.begin(), Map.of(A, List.of(5L)));

    assertThat(starts.areKnown()).isTrue();
    assertThat(ranks()).containsExactly(Map.entry(A, 5L));
  }

  @Test
  void reaches_ofALineThatIsReadOn_beginAtItsFirstThatIsLeft() {
    readAll(starts.begin(), Map.of(A, List.of(1L, 2L), B, List.of(3L)));

    readOn(starts.begin(), Map.of(A, List.of(2L)));

    assertThat(ranks()).as("b has nobody").containsExactly(Map.entry(A, 2L));
    assertThat(starts.reaches(line -> 7)).containsExactly(Map.entry(A, new Reach(2, 7)));
  }

  @Test
  void note_ofAJobBeforeTheFirst_movesTheStart_andOfALaterOneDoesNot() {
    readAll(starts.begin(), Map.of(A, List.of(10L)));

    starts.note(List.of(row("a", 12), row("a", 4), row("b", 9)));

    assertThat(ranks()).containsOnly(Map.entry(A, 4L), Map.entry(B, 9L));
  }

  @Test
  void note_whileAReadIsUnderWayThatMayNotSeeIt_stands() {
    readAll(starts.begin(), Map.of(A, List.of(10L)));
    long begun = starts.begin();
    starts.note(List.of(row("a", 4), row("b", 9)));

    readOn(begun, Map.of(A, List.of(10L)));
    assertThat(ranks()).containsOnly(Map.entry(A, 4L), Map.entry(B, 9L));

    readAll(begun, Map.of(A, List.of(10L)));
    assertThat(ranks()).containsOnly(Map.entry(A, 4L), Map.entry(B, 9L));

    readOn(starts.begin(), Map.of(A, List.of(10L)));
    assertThat(ranks()).as("who was noted has left").containsExactly(Map.entry(A, 10L));
  }

  @Test
  void note_ofAMembersJob_isOfTheGroupsLaneToo() {
    ReadyRow member = new ReadyRow("j", "a", SHAPE.text(), 0, 1, 6, "sweep");

    starts.note(List.of(member));

    assertThat(ranks())
        .containsOnly(Map.entry(A, 6L), Map.entry(new LineKey("a", SHAPE.text(), "sweep"), 6L));
  }

  @Test
  void areKnown_ofVeryManyLines_notBeforeAReadThatBeganSince() {
    long begun = starts.begin();
    starts.note(IntStream.range(0, 600).mapToObj(i -> row("q" + i, i)).toList());

    readAll(begun, Map.of(A, List.of(1L)));
    assertThat(starts.areKnown()).isFalse();

    readAll(starts.begin(), Map.of(A, List.of(1L)));
    assertThat(starts.areKnown()).isTrue();
  }

  private Map<LineKey, Long> ranks() {
    Map<LineKey, Long> ranks = new HashMap<>();
    starts.reaches(line -> 1).forEach((line, reach) -> ranks.put(line, reach.from()));
    return ranks;
  }

  private void readAll(long begun, Map<LineKey, List<Long>> lines) {
    starts.readAll(begun, read(lines));
  }

  private void readOn(long begun, Map<LineKey, List<Long>> lines) {
    starts.readOn(begun, Set.copyOf(starts.reaches(line -> 1).keySet()), read(lines));
  }

  private static LineRead read(Map<LineKey, List<Long>> lines) {
    Map<LineKey, Part> parts = new HashMap<>();
    lines.forEach(
        (line, ranks) ->
            parts.put(line, new Part(ranks.stream().map(rank -> head(line, rank)).toList(), 16)));
    return new LineRead(parts, List.of(), List.of(), Map.of());
  }

  private static QueueHead head(LineKey line, long rank) {
    return new QueueHead(
        "j" + rank,
        line.queue(),
        SHAPE,
        0,
        rank,
        rank,
        Avoid.NOTHING,
        Set.of(),
        Memory.UNKNOWN,
        null,
        false);
  }

  private static ReadyRow row(String queue, long rank) {
    return new ReadyRow("j" + rank, queue, SHAPE.text(), 0, rank, rank, null);
  }

  private static LineKey key(String queue) {
    return new LineKey(queue, SHAPE.text(), "");
  }
}
