package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.ledger.Arrival;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Avoid;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.ledger.MemoryKeys.Of;
import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.placement.LookAhead.Call;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LookAheadTest {
  private final RunTimes times = new RunTimes();
  private final LookAhead lookAhead = new LookAhead(times);
  private final List<AHost> hosts = new ArrayList<>(List.of(aHost("h1").cpuSlots(1).lookAhead(64)));
  private final List<AttemptRow> open = new ArrayList<>();
  private final List<Head> heads = new ArrayList<>();
  private long now = 10_000_000;

  private void inLine(String job, String profile, ARequest request) {
    var built = request.build();
    Memory memory =
        new Memory(
            Memory.UNKNOWN.keys(),
            null,
            false,
            new HostMemory(new MemoryKeys(Of.HOST, "f", profile), null, 0));
    heads.add(
        new Head(
            job,
            built.queue(),
            Shape.of(built),
            built.priority(),
            Arrival.first(now) + heads.size(),
            Avoid.NOTHING,
            Set.of(),
            memory));
  }

  private void inLine(String... jobs) {
    for (String job : jobs) {
      inLine(job, "short", aRequest(job));
    }
  }

  private record Pass(Snapshot snapshot, Decision decision, List<Call> calls) {
    List<String> ahead() {
      return decision.assignments().stream()
          .filter(Assignment::ahead)
          .map(Assignment::job)
          .toList();
    }

    List<String> calledBack() {
      return calls.stream().map(Call::message).map(ToAgent.CallBack::job).toList();
    }
  }

  /** A pass, after which what it placed is open. */
  private Pass pass() {
    List<HostRow> rows = hosts.stream().map(AHost::row).toList();
    Snapshot found =
        FleetView.of(rows, open, heads, any -> true, id -> Optional.empty(), shape -> Set.of());
    Snapshot snapshot =
        found
            .of(lookAhead.offering(found.hosts(), rows, open, now))
            .shared(Map.of(), List.of(), now)
            .running(lookAhead.expected(heads));
    Decision decision = PlacementPass.decide(snapshot, Long.MAX_VALUE);
    List<Call> calls = lookAhead.calls(snapshot, decision, rows, List.copyOf(open), now);
    List<AttemptRow> opened =
        decision.assignments().stream().map(one -> attempt(one.job(), one.host())).toList();
    open.addAll(opened);
    heads.removeIf(head -> opened.stream().anyMatch(one -> one.job().equals(head.job())));
    lookAhead.placed(
        new Placed(opened, Map.of(), Map.of(), Set.of()), decision.assignments(), snapshot);
    return new Pass(snapshot, decision, calls);
  }

  private AttemptRow attempt(String job, String host) {
    return anAttempt(job).host(host).cpuSlots(1).placed(now, now + 10_000).row();
  }

  @Test
  void pass_knownShort_isHeldBehindTheSlot() {
    times.ran("short", 5);
    inLine("a", "b", "c");

    assertThat(pass().ahead()).containsExactly("b", "c");
  }

  @Test
  void pass_runningTimeUnknown_isNotHeld() {
    inLine("a", "b");

    assertThat(pass().ahead()).isEmpty();
  }

  @Test
  void pass_hostOfTheBuildBefore_isGivenNoMoreThanItsSlots() {
    hosts.set(0, aHost("h1").cpuSlots(1));
    times.ran("short", 5);
    inLine("a", "b");

    assertThat(pass().ahead()).isEmpty();
  }

  @Test
  void pass_noMoreThanStartsWithinTwoSeconds() {
    times.ran("short", 200); // expected to take 600 ms at most, after one that has
    inLine(IntStream.range(0, 10).mapToObj(n -> "j" + n).toArray(String[]::new));

    assertThat(pass().ahead()).hasSize(4);
  }

  @Test
  void pass_noMoreThanAHostOffers() {
    hosts.set(0, aHost("h1").cpuSlots(1).lookAhead(2));
    times.ran("short", 1);
    inLine(IntStream.range(0, 10).mapToObj(n -> "j" + n).toArray(String[]::new));

    assertThat(pass().ahead()).hasSize(2);
  }

  @Test
  void pass_whatRunsIsUnknown_nothingIsHeldBehindIt() {
    times.ran("short", 5);
    open.add(attempt("unknown", "h1"));
    inLine("a");

    assertThat(pass().ahead()).isEmpty();
  }

  @Test
  void pass_twoSlotsWanted_nobodyOvertakesBehindTheSlots() {
    hosts.set(0, aHost("h1").cpuSlots(2).lookAhead(64));
    times.ran("short", 5);
    inLine("a");
    inLine("two", "wide", aRequest("two").resource("cpus", 2));
    inLine("b", "c", "d");

    Pass pass = pass();

    assertThat(pass.decision().assignments()).extracting(Assignment::job).contains("a", "b");
    assertThat(pass.ahead()).as("behind two, which waits").isEmpty();
  }

  @Test
  void pass_slotFreeElsewhere_callsBackAsManyAsItTakes() {
    times.ran("short", 5);
    inLine("a", "b", "c", "d");
    pass();
    hosts.add(aHost("h2").cpuSlots(1).lookAhead(64));

    Pass pass = pass();

    assertThat(pass.calls()).hasSize(1);
    assertThat(pass.calls().getFirst().host()).isEqualTo("h1");
    assertThat(pass.decision().assignments()).as("not before it is returned").isEmpty();
    assertThat(pass().calls()).as("it was told just now").isEmpty();
    now += LookAhead.AGAIN_MS;
    assertThat(pass().calls()).as("that may have been lost").hasSize(1);
  }

  @Test
  void pass_slotFreeElsewhereForOthersOnly_callsNothingBack() {
    times.ran("short", 5);
    hosts.set(0, aHost("h1").cpuSlots(1).lookAhead(64).label("zone", "a"));
    inLine("a");
    inLine("b", "short", aRequest("b").resource("require", Map.of("zone", "a")));
    pass();
    hosts.add(aHost("h2").cpuSlots(1).lookAhead(64).label("zone", "b"));

    assertThat(pass().calls()).isEmpty();
  }

  @Test
  void pass_cordonedHost_callsBackAllThatItHolds() {
    times.ran("short", 5);
    inLine("a", "b", "c");
    pass();
    open.replaceAll(
        one ->
            one.job().equals("a") ? one.heard(2, AttemptRow.State.RUNNING, List.of(), now) : one);
    hosts.set(0, aHost("h1").cpuSlots(1).lookAhead(64).cordoned());

    assertThat(pass().calledBack()).containsExactlyInAnyOrder("b", "c");
  }

  @Test
  void pass_notBegunInTime_callsBackAndGivesNothingMore() {
    times.ran("short", 5);
    inLine("a", "b");
    pass();
    open.replaceAll(
        one ->
            one.job().equals("a") ? one.heard(2, AttemptRow.State.RUNNING, List.of(), now) : one);
    inLine("c");
    now += LookAhead.OVERDUE_MS + 1;

    Pass pass = pass();

    assertThat(pass.calledBack()).containsExactly("b");
    assertThat(pass.ahead()).isEmpty();
  }

  @Test
  void pass_halfFull_isNotFilledUpForOne() {
    times.ran("short", 1);
    inLine(IntStream.range(0, 65).mapToObj(n -> "j" + n).toArray(String[]::new));
    assertThat(pass().ahead()).hasSize(64);
    open.removeLast();
    inLine("next");

    assertThat(pass().ahead()).isEmpty();
  }
}
