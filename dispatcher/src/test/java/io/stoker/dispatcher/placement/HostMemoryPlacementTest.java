package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.dispatcher.ledger.Arrival;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Avoid;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.memory.MemoryKeys;
import io.stoker.dispatcher.memory.MemoryKeys.Of;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts are chosen by the memory that they have left. Sizes are in GiB. */
class HostMemoryPlacementTest {
  private static final long GIB = 1L << 30;
  private static final long NOW = 10_000_000;
  private static final long PATIENCE = 60_000;
  private static final MemoryRules EXACT = new MemoryRules(1, 0);

  private final List<AHost> hosts = new ArrayList<>();
  private final List<AttemptRow> open = new ArrayList<>();
  private final List<Head> heads = new ArrayList<>();
  private List<Claim> claims = List.of();

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
          .extracting(Assignment::hostMemory)
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
  void whoFindsTooLittleSaysSoWithFiguresAndBlocksNobodyBehind() {
    busy("a", 16, "one", 10);
    busy("b", 12, "two", 8);
    head("large", asking(9L), null, 0);
    head("fits", asking(6L), null, 0);

    Decision decision = decide();

    assertThat(decision.assignments()).extracting(Assignment::job).containsExactly("fits");
    assertThat(decision.unplaced().get("large"))
        .isEqualTo(
            new Unplaced(
                Unplaced.Reason.NO_MEMORY,
                "2 of 2 able host(s) have 1 CPU slot(s) free now, and none of them has 9 GiB of host"
                    + " memory left: the most is 6 GiB"));
    assertThat(answers("large"))
        .containsExactly(
            new HostAnswer(
                "a",
                Obstacle.BUSY_MEMORY,
                "has 6 GiB of memory left of the 9 GiB that it would be promised: 10 GiB of 16 GiB"
                    + " are promised, or taken"),
            new HostAnswer(
                "b",
                Obstacle.BUSY_MEMORY,
                "has 4 GiB of memory left of the 9 GiB that it would be promised: 8 GiB of 12 GiB are"
                    + " promised, or taken"));
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
            new Unplaced(
                Unplaced.Reason.NEVER,
                "no host can ever serve 1 CPU slot(s) and 17 GiB of host memory; the most memory"
                    + " that one of 2 host(s) has which could serve it otherwise is 16 GiB"));
    assertThat(answers("huge"))
        .extracting(HostAnswer::obstacle)
        .containsOnly(Obstacle.TOO_LITTLE_MEMORY);
    assertThat(answers("other"))
        .containsExactly(
            new HostAnswer("a", null, "could take it now"),
            new HostAnswer(
                "b",
                Obstacle.TOO_LITTLE_MEMORY,
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
    assertThat(decision.unplaced().get("second").reason()).isEqualTo(Unplaced.Reason.NO_ROOM);
    assertThat(decision.unplaced().get("known-little").reason())
        .isEqualTo(Unplaced.Reason.NO_MEMORY);
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

    assertThat(first.claims()).containsExactly(new Claim("large", "default", "b", NOW + PATIENCE));
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

    claims = first.claims();
    open.removeLast();
    assertThat(placed()).containsEntry("large", "b");
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
        .extracting(Assignment::host, Assignment::hostMemory)
        .containsExactlyInAnyOrder(tuple("a", 6 * GIB), tuple("b", 6 * GIB));
    assertThat(decision.unplaced().get("too-many"))
        .isEqualTo(
            new Unplaced(
                Unplaced.Reason.NEVER,
                "needs 3 hosts with 1 CPU slot(s) and 6 GiB of host memory at once, and 2 can ever"
                    + " serve it"));
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

  /** A host of 8 CPU slots with so much memory, of which a job that runs there has so much. */
  private void busy(String host, int memory, String job, int taken) {
    hosts.add(aHost(host).cpuSlots(8).memory(memory * GIB));
    open.add(runs(job, host, taken));
  }

  private static HostMemoryView view(Long says, Long measured, int ranOut) {
    return HostMemoryView.of(Shape.of(asking(says).build().resources()), known(measured, ranOut));
  }

  private static ARequest asking(Long gib) {
    ARequest request = aRequest("r");
    return gib == null ? request : request.resource("memory", gib + "GiB");
  }

  private static HostMemory known(Long measured, int ranOut) {
    Optional<Estimate> expected =
        measured == null
            ? Optional.empty()
            : EXACT.estimate(Of.HOST, From.LIKE_JOBS, new Peaks(List.of(measured * GIB), 1));
    return new HostMemory(new MemoryKeys(Of.HOST, "f", "p"), expected.orElse(null), ranOut);
  }

  private void head(String job, ARequest request, Long measured, int ranOut) {
    var built = request.build();
    Shape shape = built.workers().isPresent() ? Shape.of(built) : Shape.of(built.resources());
    Memory memory = new Memory(Memory.UNKNOWN.keys(), null, false, known(measured, ranOut));
    heads.add(
        new Head(
            job,
            built.queue(),
            shape,
            0,
            Arrival.first(NOW) + heads.size(),
            Avoid.NOTHING,
            Set.of(),
            memory));
  }

  private static AttemptRow runs(String job, String host, long gib) {
    AttemptRow row =
        new AttemptRow(
            job,
            1,
            "default",
            host,
            "t",
            AttemptRow.State.RUNNING,
            1,
            0,
            0,
            NOW,
            NOW,
            List.of(),
            null,
            null);
    return row.promised(gib * GIB);
  }

  private Snapshot snapshot(long now) {
    return FleetView.of(
            hosts.stream().map(AHost::row).toList(),
            open,
            heads,
            any -> true,
            id -> Optional.empty(),
            shape -> Set.of())
        .shared(Map.of(), claims, now);
  }

  private Decision decide() {
    return decide(NOW);
  }

  private Decision decide(long now) {
    return PlacementPass.decide(snapshot(now), PATIENCE);
  }

  private Map<String, String> placed() {
    return decide().assignments().stream()
        .collect(Collectors.toMap(Assignment::job, Assignment::host));
  }

  private List<HostAnswer> answers(String job) {
    return HostAnswer.of(
        snapshot(NOW),
        heads.stream().filter(head -> head.job().equals(job)).findFirst().orElseThrow());
  }
}
