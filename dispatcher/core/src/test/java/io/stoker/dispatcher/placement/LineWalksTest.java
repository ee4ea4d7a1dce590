package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineWalks.Waiting;
import io.stoker.dispatcher.placement.LineWalks.Walk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A line of which a pass has looked at the first 16, whose ranks are 0 to 15. */
class LineWalksTest {
  private static final String WHY = "too large";
  private static final Line LARGE = line("large");
  private static final Line HUGE = line("huge");

  private final List<Waiting> line = new ArrayList<>();
  private LineWalks walks = LineWalks.NONE;
  private long now = 1_000_000;

  @Test
  void allBehindTheFirstAreToldSomeAtATimeAndOnce() {
    waiting(16, 600, false);

    assertThat(step(hopeless(LARGE)).tells()).hasSize(256).containsEntry("j16", WHY);
    assertThat(step(hopeless(LARGE)).tells()).hasSize(256).containsEntry("j272", WHY);
    assertThat(step(hopeless(LARGE)).tells()).hasSize(72).containsEntry("j599", WHY);
    assertThat(step(hopeless(LARGE)).isEmpty()).isTrue();
  }

  @Test
  void whoComesLaterIsToldToo() {
    waiting(16, 20, false);
    step(hopeless(LARGE));
    assertThat(step(hopeless(LARGE)).isEmpty()).isTrue();

    waiting(20, 22, false);

    assertThat(step(hopeless(LARGE)).tells()).containsOnlyKeys("j20", "j21");
  }

  @Test
  void whoWasToldBeforeATakeoverIsNotToldAgain() {
    waiting(16, 20, true);
    waiting(20, 25, false);

    assertThat(step(hopeless(LARGE)).tells()).hasSize(5).doesNotContainKey("j19");
  }

  @Test
  void whoAsksForMoreThanOthersIsNotToldWhatHoldsForThem() {
    line.add(new Waiting("plain", 16, false, true));
    line.add(new Waiting("ran-out", 17, false, false));

    assertThat(step(hopeless(LARGE)).tells()).containsOnlyKeys("plain");
  }

  @Test
  void itIsTakenBackFromAllThatWereToldAndThenItIsOver() {
    waiting(16, 300, true);
    waiting(300, 310, false);
    step(hopeless(LARGE));

    assertThat(step(served(LARGE)).withdraws()).hasSize(256).contains("j16");
    assertThat(step().withdraws()).as("though the first were told by now").hasSize(28);
    assertThat(walks.walks()).isEmpty();
  }

  @Test
  void whatIsHopelessAgainIsToldAgain() {
    waiting(16, 20, false);
    step(hopeless(LARGE));
    step(served(LARGE));

    assertThat(step(hopeless(LARGE)).tells()).hasSize(4);
  }

  @Test
  void whereAPassFindsNothingOfALineNobodyIsTold() {
    waiting(16, 600, false);
    step(hopeless(LARGE));

    assertThat(step().isEmpty()).isTrue();
    assertThat(walks.walks()).isEmpty();
  }

  @Test
  void linesTakeTurnsAndThoseUnderWayGoFirst() {
    waiting(16, 600, false);
    List<Line> turns = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      walks = walks.after(List.of(hopeless(LARGE), hopeless(HUGE)), line -> true);
      now += LineWalks.APART_MS;
      Walk walk = walks.turn(now).orElseThrow();
      turns.add(walk.line());
      walks = walks.done(walk, walk.line().equals(LARGE) ? behind(walk) : List.of(), now);
    }

    assertThat(turns).containsExactly(LARGE, HUGE, LARGE, LARGE, HUGE, LARGE, HUGE);
  }

  @Test
  void betweenTwoStepsIsSomeTime() {
    walks = walks.after(List.of(hopeless(LARGE)), line -> true);
    Walk walk = walks.turn(now).orElseThrow();
    walks = walks.done(walk, List.of(), now);

    assertThat(walks.turn(now + LineWalks.APART_MS - 1)).isEmpty();
    assertThat(walks.turn(now + LineWalks.APART_MS)).isPresent();
    assertThat(walks.turn(now - 86_400_000)).as("the clock was set back").isPresent();
    assertThat(LineWalks.NONE.turn(now)).isEmpty();
  }

  private void waiting(int from, int to, boolean told) {
    IntStream.range(from, to).forEach(i -> line.add(new Waiting("j" + i, i, told, true)));
  }

  /** The next pass, and what it has done. */
  private Verdicts step(LineVerdict... found) {
    walks = walks.after(List.of(found), line -> true);
    now += LineWalks.APART_MS;
    Optional<Walk> turn = walks.turn(now);
    List<Waiting> read = turn.map(this::behind).orElse(List.of());
    turn.ifPresent(walk -> walks = walks.done(walk, read, now));
    return LineWalks.verdicts(turn.orElse(new Walk(LARGE, WHY, 0, true)), read);
  }

  private List<Waiting> behind(Walk walk) {
    return line.stream().filter(one -> one.rank() > walk.after()).limit(LineWalks.AT_ONCE).toList();
  }

  private static LineVerdict hopeless(Line line) {
    return new LineVerdict(line, WHY, 15);
  }

  private static LineVerdict served(Line line) {
    return new LineVerdict(line, null, 15);
  }

  private static Line line(String queue) {
    return new Line(queue, Shape.of(aRequest("r").build().resources()), null);
  }
}
