package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What hosts are given behind their slots, and what is called back. */
class LookAheadTest extends AheadScene {
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
    open.add(attempt("unknown", "default", "h1"));
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
    begins("a");
    hosts.set(0, aHost("h1").cpuSlots(1).lookAhead(64).cordoned());

    assertThat(pass().calledBack()).containsExactlyInAnyOrder("b", "c");
  }

  @Test
  void pass_notBegunInTime_callsBackAndGivesNothingMore() {
    times.ran("short", 5);
    inLine("a", "b");
    pass();
    begins("a");
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
