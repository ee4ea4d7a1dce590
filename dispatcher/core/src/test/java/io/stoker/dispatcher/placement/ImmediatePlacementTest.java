package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.CycleCheck;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.FleetMemory.Known;
import io.stoker.dispatcher.placement.ImmediatePlacement.Done;
import io.stoker.dispatcher.placement.ImmediatePlacement.Look;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.CountedIds;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is placed in the transaction that takes it in, and what gets in line. */
class ImmediatePlacementTest {
  private static final long EPOCH = 3;
  private static final long NOW = 1_000_000;

  private final CountedIds ids = new CountedIds();
  private final FleetMemory memory = new FleetMemory();
  private final ImmediatePlacement rule =
      new ImmediatePlacement(memory, new Placing(ids, 30_000), 60_000);
  private final HostRow host = aHost("h1").cpuSlots(2).row();

  @Test
  void aNewJobThatHasRoom_isPlacedAndNeverInLine() {
    knows(List.of(), List.of());
    UnitOfWork unit = intake(aRequest("a"));

    Done done = place(unit, look(Set.of())).orElseThrow();

    assertThat(done.placed().opened()).hasSize(1);
    assertThat(unit.madeReady()).isEmpty();
    assertThat(unit.takenFromReady()).as("it was in no line to be taken from").isEmpty();
    assertThat(unit.jobs().inserted()).extracting(JobRow::state).containsExactly(JobState.PLACED);
    assertThat(unit.named()).containsExactly("a");
  }

  @Test
  void whatFindsNoRoom_getsInLine() {
    knows(List.of(), List.of());
    UnitOfWork unit = intake(aRequest("a"), aRequest("b").meaning("b"), aRequest("c").meaning("c"));

    Done done = place(unit, look(Set.of())).orElseThrow();

    assertThat(done.placed().opened()).hasSize(2);
    assertThat(unit.madeReady()).hasSize(1);
  }

  @Test
  void roomThatWasGivenOnce_isNotGivenAgain() {
    knows(List.of(), List.of());
    UnitOfWork first = intake(aRequest("a"), aRequest("b").meaning("b"));
    rule.committed(place(first, look(Set.of())).orElseThrow());

    assertThat(place(intake(aRequest("c").meaning("c")), look(Set.of()))).isEmpty();
  }

  @Test
  void roomThatAnAttemptOfThisReplicaLeaves_isGivenAgain() {
    knows(List.of(), List.of());
    UnitOfWork first = intake(aRequest("a"), aRequest("b").meaning("b"));
    Done done = place(first, look(Set.of())).orElseThrow();
    rule.committed(done);
    UnitOfWork end = new UnitOfWork(NOW);
    end.attempts().loadAll(done.placed().opened());
    end.close(done.placed().opened().getFirst());

    memory.note(end);

    assertThat(place(intake(aRequest("c").meaning("c")), look(Set.of()))).isPresent();
  }

  @Test
  void untilItIsKnownWhetherItHasCommitted_nobodyPlacesByWhatIsRemembered() {
    knows(List.of(), List.of());
    place(intake(aRequest("a")), look(Set.of())).orElseThrow();

    assertThat(memory.epoch()).isEmpty();
    assertThat(place(intake(aRequest("b").meaning("b")), look(Set.of()))).isEmpty();
  }

  @Test
  void aCommitThatIsHeardOfAfterAPassBegan_bringsNothingBack() {
    knows(List.of(), List.of());
    Done done = place(intake(aRequest("a")), look(Set.of())).orElseThrow();
    memory.begin();

    rule.committed(done);

    assertThat(memory.epoch()).isEmpty();
  }

  @Test
  void aPassBeforeWhichAnotherBegan_isNotBelieved() {
    long first = memory.begin();
    memory.begin();

    memory.learn(known(first, List.of(), List.of()));

    assertThat(memory.epoch()).isEmpty();
  }

  @Test
  void aHostWhoseRowHasChanged_getsNothing_andAllIsReadAgain() {
    knows(List.of(), List.of());
    UnitOfWork unit = intake(aRequest("a"));

    assertThat(place(unit, new Look(EPOCH, Set.of(), Map.of("h1", "2")))).isEmpty();

    assertThat(unit.madeReady()).hasSize(1);
    assertThat(memory.epoch()).isEmpty();
  }

  @Test
  void underAnotherEpoch_nothingIsPlaced() {
    knows(List.of(), List.of());

    assertThat(place(intake(aRequest("a")), new Look(EPOCH + 1, Set.of(), Map.of("h1", "1"))))
        .isEmpty();
    assertThat(memory.epoch()).isEmpty();
  }

  @Test
  void behindSomebodyOfWhomTheLastPassDidNotKnow_nothingIsPlaced() {
    knows(List.of(), List.of());

    assertThat(place(intake(aRequest("a")), look(Set.of("another")))).isEmpty();
    assertThat(memory.epoch()).as("what is known of hosts is good still").hasValue(EPOCH);
  }

  @Test
  void whoNoHostCanServe_keepsNobodyWaiting() {
    QueueHead never = head("never", aRequest("never").gpus(4));
    knows(List.of(), List.of(never));

    assertThat(place(intake(aRequest("a")), look(Set.of("never")))).isPresent();
  }

  @Test
  void whereSomebodyInLineHasRoomByNow_thatIsForAPass() {
    QueueHead waits = head("waits", aRequest("waits"));
    knows(List.of(), List.of(waits));
    UnitOfWork unit = intake(aRequest("a"));

    assertThat(place(unit, look(Set.of("waits")))).isEmpty();
    assertThat(unit.madeReady()).hasSize(1);
  }

  @Test
  void ofAGroupWithAPlan_nothingIsPlaced() {
    knows(List.of(), List.of());
    UnitOfWork unit = intake(aRequest("a").with("group", "g"));

    assertThat(ImmediatePlacement.heads(unit, "g"::equals)).isEmpty();
    assertThat(ImmediatePlacement.heads(unit, group -> false)).hasSize(1);
  }

  private static QueueHead head(String job, ARequest request) {
    return QueueHeads.head(job, "default", Shape.of(request.build()), 0, 0, List.of(), Set.of());
  }

  private void knows(List<AttemptRow> open, List<QueueHead> waiting) {
    memory.learn(known(memory.begin(), open, waiting));
  }

  private Known known(long generation, List<AttemptRow> open, List<QueueHead> waiting) {
    return new Known(generation, EPOCH, 0, List.of(host), Map.of("h1", "1"), open, true, waiting);
  }

  private static Look look(Set<String> line) {
    return new Look(EPOCH, line, Map.of("h1", "1"));
  }

  private UnitOfWork intake(ARequest... requests) {
    UnitOfWork unit = new UnitOfWork(NOW);
    new Intake(new Binding(ids, new Queues(List.of())))
        .accept(unit, Stream.of(requests).map(ARequest::build).toList(), new CycleCheck());
    return unit;
  }

  private Optional<Done> place(UnitOfWork unit, Look look) {
    List<QueueHead> heads = ImmediatePlacement.heads(unit, group -> false);
    return rule.borrow(look, heads)
        .flatMap(known -> rule.place(unit, look, known, snapshot(known, heads)));
  }

  private static Snapshot snapshot(Known known, List<QueueHead> heads) {
    return FleetView.of(
        known.hosts(),
        known.open(),
        Stream.concat(known.waiting().stream(), heads.stream()).toList(),
        id -> true,
        id -> Optional.empty(),
        shape -> Set.of());
  }
}
