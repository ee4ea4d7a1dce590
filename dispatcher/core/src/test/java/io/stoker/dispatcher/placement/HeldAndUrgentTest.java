package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that are more urgent than what a host holds behind its CPU slots. */
class HeldAndUrgentTest extends AheadScene {
  private static final int PRIORITY = 5;

  @BeforeEach
  void shortOnes() {
    times.ran("short", 5);
  }

  /** A host of two slots: one runs {@code low} for long, the other {@code a} for a moment. */
  private void holds(String queue, String... held) {
    hosts.set(0, aHost("h1").cpuSlots(2).lookAhead(64));
    runs("low", queue);
    inLine("a", "short", of("a", queue));
    pass();
    begins("a");
    for (String job : held) {
      inLine(job, "short", of(job, queue));
    }
    assertThat(pass().ahead()).containsExactly(held);
  }

  private static ARequest of(String job, String queue) {
    return aRequest(job).queue(queue);
  }

  private void runs(String job, String queue) {
    open.add(attempt(job, queue, "h1"));
    begins(job);
    running.add(new Running(job, "request-" + job, 0, true, 0, List.of(open.getLast())));
    now += MIN_RUN;
  }

  private void urgent(String profile) {
    inLine("urgent", profile, aRequest("urgent").priority(PRIORITY));
  }

  /** Those are told to end that a pass has found. */
  private void carryOut(Pass pass) {
    PreemptionReservation hold = pass.plan().orElseThrow().hold();
    AttemptRow.Preempted by = new AttemptRow.Preempted(hold.job(), null);
    open.replaceAll(one -> one.job().equals("low") ? one.preempted(by, "preempted") : one);
    running.clear();
    reservations = PreemptionReservationRules.reservations(List.of(hold), open);
  }

  private void ended(Pass before) {
    ends("low");
    reservations =
        PreemptionReservationRules.reservations(List.of(before.plan().orElseThrow().hold()), open);
  }

  @Test
  void preemption_hostHoldsJobs_endsOneAndCallsAllBackAtOnce() {
    holds("default", "b", "c");
    urgent("unknown");

    Pass pass = pass();

    assertThat(pass.plan().orElseThrow().victims()).extracting(Running::job).containsExactly("low");
    assertThat(pass.calledBack()).containsExactly("b", "c");
  }

  @Test
  void preemption_noneToEnd_callsNothingBack() {
    holds("default", "b", "c");
    running.clear();
    urgent("unknown");

    Pass pass = pass();

    assertThat(pass.plan()).isEmpty();
    assertThat(pass.calledBack()).isEmpty();
  }

  @Test
  void preemption_whileItEnds_nothingIsHeldAndWhatIsLeftIsCalledAgain() {
    holds("default", "b", "c");
    urgent("unknown");
    carryOut(pass());
    ends("b");
    inLine("b", "d");
    now += LookAhead.AGAIN_MS;

    Pass pass = pass();

    assertThat(pass.plan()).as("one ends for it already").isEmpty();
    assertThat(pass.ahead()).isEmpty();
    assertThat(pass.calledBack()).as("the first call may have been lost").containsExactly("c");
  }

  @Test
  void preemption_freedSlot_isForTheUrgentOneAlone() {
    holds("default", "b", "c");
    urgent("unknown");
    Pass found = pass();
    carryOut(found);
    ended(found);

    assertThat(pass().decision().assignments()).as("two are not given back yet").isEmpty();
    ends("b", "c");
    inLine("b", "c");

    Pass pass = pass();
    assertThat(pass.decision().assignments())
        .extracting(Assignment::job)
        .first()
        .isEqualTo("urgent");
    assertThat(pass.ahead()).as("those start when a is over").containsExactly("b", "c");
  }

  /** Its queue goes first, and it is held before the urgent one is looked at. */
  @Test
  void preemption_anotherIsHeldInTheSamePass_endsOneAndCallsItBackNext() {
    holds("default", "b");
    inLine("x", "short", of("x", "other").priority(PRIORITY + 1));
    urgent("unknown");

    Pass pass = pass();
    assertThat(pass.ahead()).containsExactly("x");
    carryOut(pass);

    assertThat(pass().calledBack()).containsExactly("x");
  }

  /** Of three slots one is due to each queue: what is held is no room that a queue has. */
  @Test
  void preemption_ofAnotherQueue_whatIsHeldIsNotWhatItHas() {
    hosts.set(0, aHost("h1").cpuSlots(3).lookAhead(64));
    runs("low", "b");
    inLine("x", "short", of("x", "c"));
    inLine("y", "short", of("y", "c"));
    pass();
    inLine("s", "short", of("s", "b"));
    inLine("t", "short", of("t", "b"));
    assertThat(pass().ahead()).containsExactly("s", "t");
    inLine("waits", "unknown", of("waits", "a"));

    assertThat(pass().plan()).isEqualTo(Optional.empty());
  }

  @Test
  void priority_urgentOneCannotBeHeld_nothingMoreIsGivenBeforeIt() {
    holds("default", "b");
    running.clear();
    urgent("unknown");
    inLine(IntStream.range(0, 5).mapToObj(n -> "later" + n).toArray(String[]::new));
    assertThat(pass().ahead()).isEmpty();
    ends("a");
    begins("b");
    assertThat(pass().decision().assignments()).isEmpty();
    ends("b");

    assertThat(pass().decision().assignments()).extracting(Assignment::job).contains("urgent");
  }

  @Test
  void priority_urgentOneMayBeHeld_isGivenBeforeWhatCameEarlier() {
    hosts.set(0, aHost("h1").cpuSlots(1).lookAhead(64));
    times.ran("short", 300); // one of them is all that starts within two seconds, after another
    inLine("a");
    pass();
    inLine("early");
    urgent("short");

    assertThat(pass().ahead()).startsWith("urgent");
  }
}
