package io.stoker.dispatcher.service.postgres;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineKey;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.LineRead.Reach;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.LineWindow.Outcome;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.Test;

/** Reads lines that no other transaction ever sees. */
@QuarkusTest
@OnRealServices
class ReadyTableTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final int MANY = 3_000;

  @Inject Database database;
  private final String queue = "many-" + UUID.randomUUID();

  /** Ends a transaction so that nothing of it is left. */
  private static final class Rollback extends IllegalStateException {
    private static final long serialVersionUID = 1;
  }

  /** What is checked between two statements may take longer than the database lets others think. */
  private void inVain(Function<StatelessSession, Uni<Void>> work) {
    assertThatThrownBy(
            () ->
                database
                    .once(
                        session ->
                            Queries.execute(
                                    session,
                                    "set local idle_in_transaction_session_timeout = '1min'",
                                    Map.of())
                                .chain(() -> work.apply(session))
                                .chain(() -> Uni.createFrom().<Void>failure(new Rollback())))
                    .await()
                    .atMost(SOON))
        .isInstanceOf(Rollback.class);
  }

  /** Jobs of so many shapes, the last of them first in line, each with so many equals. */
  private Uni<Void> fill(StatelessSession session, ARequest request, int shapes, int equals) {
    String text = Shape.of(request.build()).text();
    String shape = text.substring(0, text.length() - 1);
    Map<String, Object> values =
        Map.of("queue", queue, "shape", shape, "shapes", shapes, "equals", equals);
    String rows =
        "generate_series(1, cast(:shapes as integer)) i, generate_series(1, cast(:equals as"
            + " integer)) n";
    String shapeOf = ":shape || ',\"user\":\"u' || i || '\"}'";
    String jobOf = "md5(:shape) || :queue || '-' || i || '-' || n";
    return Queries.execute(
            session,
            "insert into job (id, fingerprint, role, state, ending, attempt, first_request, queue,"
                + " priority, seq, shape, policy) select "
                + jobOf
                + ", 'f', 0, 'QUEUED', false, 0, 'r', :queue, 0, 1, "
                + shapeOf
                + ", '{}' from "
                + rows,
            values)
        .chain(
            () ->
                Queries.execute(
                    session,
                    "insert into ready (job, queue, shape, priority, seq, rank) select "
                        + jobOf
                        + ", :queue, "
                        + shapeOf
                        + ", 0, 1, 1000000 - i * 1000 + n from "
                        + rows,
                    values))
        .replaceWithVoid();
  }

  private static ARequest onSlots() {
    return aRequest("r").resource("cpus", 2);
  }

  private static LineWindow next(LineWindow window, LineRead read, int now) {
    return window.after(read, new Outcome(false, false, 1), now).before(10, Map.of(), 128);
  }

  @Test
  void ofVeryManyLinesEachGetsItsTurnAndTheFrontIsAlwaysRead() {
    Set<LineKey> seen = new HashSet<>();
    inVain(
        session ->
            fill(session, onSlots(), MANY, 2)
                .chain(() -> fill(session, aRequest("r").gpus(1), 1, 1))
                .chain(() -> new ReadyTable(session).read(LineWindow.START, List.of(), Set.of()))
                .invoke(
                    read -> {
                      assertThat(read.lines()).hasSize(LineWindow.START.whole());
                      assertThat(LineWindow.START.tooMany(read)).isTrue();
                    })
                .chain(() -> turns(session, LineWindow.START.byTurns(), seen, 0)));

    assertThat(seen).hasSize(MANY + 1);
  }

  private Uni<Void> turns(
      StatelessSession session, LineWindow window, Set<LineKey> seen, int passes) {
    return new ReadyTable(session)
        .read(window, List.of(), Set.of())
        .chain(
            read -> {
              read.of(queue).forEach(seen::add);
              assertThat(read.lines().values())
                  .allSatisfy(part -> assertThat(part.heads()).hasSizeBetween(1, part.asked()));
              if (passes > 0) {
                fronts(read, window);
              }
              assertThat(passes).isLessThan(200);
              return seen.size() > MANY
                  ? Uni.createFrom().voidItem()
                  : turns(session, next(window, read, passes), seen, passes + 1);
            });
  }

  private void fronts(LineRead read, LineWindow window) {
    List<QueueHead> onSlots =
        read.front().stream()
            .filter(head -> head.queue().equals(queue) && head.shape().gpus() == 0)
            .toList();
    assertThat(onSlots).hasSize(window.frontOfEach());
    assertThat(onSlots)
        .extracting(QueueHead::rank)
        .containsExactlyInAnyOrderElementsOf(firstRanks(window.frontOfEach()));
    assertThat(read.front())
        .as("jobs that take other room, however far behind")
        .anyMatch(head -> head.queue().equals(queue) && head.shape().gpus() == 1);
  }

  /** Two of each shape, the last shape first. */
  private static List<Long> firstRanks(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> 1_000_000L - (MANY - i / 2) * 1_000L + 1 + i % 2)
        .toList();
  }

  /** What is read of two lines of 50 jobs each. */
  private Uni<LineRead> twoLines(StatelessSession session) {
    return fill(session, onSlots(), 2, 50)
        .chain(() -> new ReadyTable(session).read(LineWindow.START, List.of(), Set.of()));
  }

  @Test
  void moreOfALineIsReadWhereThatIsAskedFor() {
    inVain(
        session ->
            twoLines(session)
                .chain(
                    read -> {
                      List<LineKey> lines = read.of(queue);
                      assertThat(lines).hasSize(2);
                      assertThat(read.lines().get(lines.getFirst()).heads()).hasSize(16);
                      return new ReadyTable(session)
                          .from(
                              Map.of(lines.getFirst(), read.reach(lines.getFirst(), 40)),
                              List.of(),
                              Set.of())
                          .invoke(more -> deep(more.lines(), lines.getFirst()))
                          .chain(
                              () ->
                                  new ReadyTable(session)
                                      .read(
                                          LineWindow.START.before(
                                              1, Map.of(lines.getFirst(), 40), 16),
                                          List.of(),
                                          Set.of()))
                          .invoke(
                              again -> {
                                deep(again.lines(), lines.getFirst());
                                assertThat(again.lines().get(lines.getLast()).heads()).hasSize(16);
                              });
                    })
                .replaceWithVoid());
  }

  @Test
  void aLineThatIsReadFromARank_beginsThere_andOneThatHasNobodyBehindItIsNotAmongThem() {
    inVain(
        session ->
            twoLines(session)
                .chain(
                    read -> {
                      LineKey first = read.of(queue).getFirst();
                      List<QueueHead> heads = read.lines().get(first).heads();
                      Map<LineKey, Reach> asked =
                          Map.of(
                              first,
                              new Reach(heads.get(3).rank(), 5),
                              read.of(queue).getLast(),
                              new Reach(Long.MAX_VALUE, 5));
                      return new ReadyTable(session)
                          .from(asked, List.of(), Set.of(heads.get(5).job()))
                          .invoke(
                              from -> {
                                assertThat(from.lines()).containsOnlyKeys(first);
                                assertThat(from.lines().get(first).heads())
                                    .extracting(QueueHead::job)
                                    .containsExactly(
                                        heads.get(3).job(),
                                        heads.get(4).job(),
                                        heads.get(6).job(),
                                        heads.get(7).job(),
                                        heads.get(8).job());
                              });
                    })
                .replaceWithVoid());
  }

  private static void deep(Map<LineKey, Part> read, LineKey line) {
    assertThat(read.get(line).asked()).isEqualTo(40);
    assertThat(read.get(line).heads()).extracting(QueueHead::rank).isSorted().hasSize(40);
  }

  @Test
  void whatIsNamedIsReadInAnyCase() {
    inVain(
        session ->
            fill(session, onSlots(), MANY, 1)
                .chain(
                    () ->
                        Queries.single(
                            session,
                            "select job from ready where queue = :queue order by rank desc limit 1",
                            Map.of("queue", queue),
                            Row::text))
                .chain(last -> named(new ReadyTable(session), last)));
  }

  private static Uni<Void> named(ReadyTable line, String last) {
    List<String> names = List.of(last);
    LineWindow byTurns = LineWindow.START.byTurns();
    LineKey none = new LineKey("no-such-queue", "{}", "");
    Map<LineKey, Reach> elsewhere = Map.of(none, new Reach(0, 1));
    return Uni.join()
        .all(
            List.of(
                line.read(byTurns, names, Set.of()),
                line.read(LineWindow.START, names, Set.of()),
                line.from(elsewhere, names, Set.of()),
                line.from(Map.of(), names, Set.of())))
        .usingConcurrencyOf(1)
        .andFailFast()
        .invoke(
            reads ->
                assertThat(reads)
                    .allSatisfy(
                        read ->
                            assertThat(read.named())
                                .extracting(QueueHead::job)
                                .containsExactly(last)))
        .chain(() -> line.from(Map.of(), names, names))
        .invoke(read -> assertThat(read.heads()).isEmpty())
        .replaceWithVoid();
  }

  @Test
  void whatIsLeftOutMakesPlaceForThoseBehindIt() {
    inVain(
        session ->
            fill(session, onSlots(), 2, 50)
                .chain(() -> jobs(session))
                .chain(
                    line -> {
                      Set<String> out = Set.copyOf(line.subList(0, 20));
                      return new ReadyTable(session)
                          .read(LineWindow.START, List.of(), out)
                          .invoke(
                              read ->
                                  assertThat(first(read))
                                      .containsExactlyElementsOf(line.subList(20, 36)))
                          .chain(
                              read ->
                                  new ReadyTable(session)
                                      .from(
                                          Map.of(firstLine(read), read.reach(firstLine(read), 25)),
                                          List.of(),
                                          out))
                          .invoke(
                              more ->
                                  assertThat(more.lines().values().iterator().next().heads())
                                      .extracting(QueueHead::job)
                                      .containsExactlyElementsOf(line.subList(20, 45)));
                    })
                .replaceWithVoid());
  }

  @Test
  void aLineOfNothingElseHasItsTurnAllTheSame() {
    inVain(
        session ->
            fill(session, onSlots(), 2, 3)
                .chain(() -> jobs(session))
                .chain(
                    line -> {
                      Set<String> out = Set.copyOf(line.subList(0, 3));
                      return new ReadyTable(session)
                          .read(LineWindow.START, List.of(), out)
                          .invoke(read -> emptyAndFull(read))
                          .chain(
                              () ->
                                  new ReadyTable(session)
                                      .read(LineWindow.START.byTurns(), line.subList(0, 1), out))
                          .invoke(
                              read -> {
                                emptyAndFull(read);
                                assertThat(read.named()).isEmpty();
                              });
                    })
                .replaceWithVoid());
  }

  private void emptyAndFull(LineRead read) {
    assertThat(read.of(queue))
        .extracting(key -> read.lines().get(key).heads().size())
        .containsExactlyInAnyOrder(0, 3);
  }

  /** All in line, the first shape of {@link #firstLine} first. */
  private Uni<List<String>> jobs(StatelessSession session) {
    return Queries.list(
        session,
        "select job from ready where queue = :queue order by shape, rank",
        Map.of("queue", queue),
        Row::text);
  }

  private List<String> first(LineRead read) {
    return read.lines().get(firstLine(read)).heads().stream().map(QueueHead::job).toList();
  }

  private LineKey firstLine(LineRead read) {
    return read.of(queue).getFirst();
  }
}
