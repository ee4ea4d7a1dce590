package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.common.message.HostMessage.Hello;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.LeaseBook;
import io.stoker.dispatcher.host.Registration;
import io.stoker.dispatcher.host.Silence;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.AHost;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuspectRulesTest {
  private static final long NOW = 10_000_000;

  private final SuspectRules rules = new SuspectRules(3, 600_000, 60_000, 3);

  @ParameterizedTest
  @CsvSource({
    // different jobs, the last so long ago; suspect, held
    "2, 0, false, false",
    "3, 0, true, true",
    "3, 59999, true, true",
    "3, 60000, true, false",
    "3, 599998, false, false",
  })
  void differentJobsInARowMakeAHostSuspectForAWhile(
      int jobs, long agoMs, boolean suspect, boolean held) {
    Map<String, Suspicion> found = rules.judge(failures("h", jobs, agoMs), NOW);

    assertThat(found.containsKey("h")).isEqualTo(suspect);
    assertThat(suspect && found.get("h").held()).isEqualTo(held);
  }

  @Test
  void oneJobThatFailsAgainAndAgainMakesNoHostSuspect() {
    List<LaunchFailure> same =
        IntStream.range(0, 9).mapToObj(i -> new LaunchFailure("h", "job", NOW - i)).toList();

    assertThat(rules.judge(same, NOW)).isEmpty();
    assertThat(new SuspectRules(0, 600_000, 60_000, 0).judge(failures("h", 9, 0), NOW)).isEmpty();
  }

  @Test
  void whatWasNotedWhileTheClockWasFarAheadHoldsNoHost() {
    long year = 365L * 86_400_000;

    assertThat(rules.judge(failures("h", 3, -year), NOW)).isEmpty();
    assertThat(rules.judge(failures("h", 3, -500), NOW)).as("a moment ahead").hasSize(1);
    List<HostRow> fleet = List.of(lost("flaps", 3, -year), aHost("other").row());
    assertThat(rules.judgeLosses(fleet, NOW)).isEmpty();
  }

  @Test
  void theSentenceHasTheFigures() {
    assertThat(rules.judge(failures("h", 3, 12_000), NOW).get("h").sentence())
        .isEqualTo(
            "is suspect: 3 different jobs in a row could not be started on it, the last 12 s ago; it"
                + " is tried again in 48 s");
    assertThat(rules.judge(failures("h", 3, 61_000), NOW).get("h").sentence())
        .endsWith("the last 61 s ago; it gets one job at a time until one starts");
  }

  @Test
  void aHeldHostGetsNothingWhileAnotherIsUsable() {
    Map<String, Suspicion> held = rules.judge(failures("bad", 3, 0), NOW);

    assertThat(placed(held, List.of(), aHost("bad").cpuSlots(9), aHost("good").cpuSlots(2)))
        .isEqualTo(Map.of("good", 2L));
  }

  @Test
  void theLastUsableHostIsNeverHeld() {
    List<LaunchFailure> both = new ArrayList<>(failures("bad", 3, 0));
    both.addAll(failures("worse", 3, 0));
    Map<String, Suspicion> held = rules.judge(both, NOW);

    assertThat(placed(held, List.of(), aHost("bad").cpuSlots(1), aHost("worse").cpuSlots(2)))
        .isEqualTo(Map.of("bad", 1L, "worse", 2L));
    assertThat(placed(held, List.of(), aHost("bad").cpuSlots(1), aHost("away").cordoned()))
        .isEqualTo(Map.of("bad", 1L));
  }

  @Test
  void onTrialAHostGetsOneJobAtATime() {
    Map<String, Suspicion> trial = rules.judge(failures("bad", 3, 60_000), NOW);
    AHost bad = aHost("bad").cpuSlots(9);
    AttemptRow running =
        anAttempt("other").host("bad").heard(AttemptRow.State.ACCEPTED, 1).cpuSlots(1).row();

    assertThat(placed(trial, List.of(), bad, aHost("good").cpuSlots(2)))
        .isEqualTo(Map.of("bad", 1L, "good", 2L));
    assertThat(placed(trial, List.of(running), bad, aHost("good").cpuSlots(2)))
        .isEqualTo(Map.of("good", 2L));
  }

  @Test
  void lessThanNoFailuresAreRefusedByName() {
    assertThatThrownBy(() -> new SuspectRules(-1, 1, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stoker.suspect.failures is -1");
    assertThatThrownBy(() -> new SuspectRules(0, 1, 1, -2))
        .hasMessageContaining("stoker.suspect.losses is -2");
  }

  @ParameterizedTest
  @CsvSource({
    // losses, the last so long ago, each a minute after the one before; suspect
    "2, 0, false",
    "3, 0, true",
    "3, 479999, true",
    "3, 480000, false",
    "5, 479999, true",
    "5, 480000, false",
  })
  void aHostThatWasLostAgainAndAgainIsOnTrialUntilItHasStayed(
      int losses, long agoMs, boolean suspect) {
    Map<String, Suspicion> found =
        rules.judgeLosses(List.of(lost("flaps", losses, agoMs), lost("stays", 1, 0)), NOW);

    assertThat(found.containsKey("flaps")).isEqualTo(suspect);
    assertThat(suspect && found.get("flaps").held()).as("one job at a time").isFalse();
    assertThat(found).doesNotContainKey("stays");
  }

  @Test
  void itsSentenceHasTheFiguresToo() {
    List<HostRow> fleet = List.of(lost("flaps", 3, 12_000), aHost("other").row());

    assertThat(rules.judgeLosses(fleet, NOW).get("flaps").sentence())
        .isEqualTo(
            "is suspect: it was lost 3 times, the last time 12 s ago; it gets one job at a time for"
                + " 468 s");
  }

  @Test
  void whereNoOtherHostTakesJobsNothingIsHeldAgainstIt() {
    HostRow flaps = lost("flaps", 9, 0);

    assertThat(rules.judgeLosses(List.of(flaps), NOW)).isEmpty();
    assertThat(rules.judgeLosses(List.of(flaps, lost("flaps-too", 9, 0)), NOW)).isEmpty();
    assertThat(rules.judgeLosses(List.of(flaps, aHost("away").cordoned().row()), NOW)).isEmpty();
    assertThat(rules.judgeLosses(List.of(flaps, aHost("other").row()), NOW)).hasSize(1);
    assertThat(
            new SuspectRules(3, 600_000, 60_000, 0)
                .judgeLosses(List.of(flaps, aHost("other").row()), NOW))
        .isEmpty();
  }

  /** Back after it was lost so many times, each a minute after the one before. */
  private static HostRow lost(String host, int times, long lastAgoMs) {
    HostRow row = aHost(host).row();
    for (int i = times - 1; i >= 0; i--) {
      row = aHost(host).back(row).lost("silent", NOW - lastAgoMs - i * 60_000L);
    }
    Hello back = aHost(host).nonce("after").hello();
    Silence silence = new HostDirectory(new LeaseBook(1, 1), () -> NOW).silence(row.id());
    return Registration.answer(new UnitOfWork(NOW), Optional.of(row), back, false, silence, false)
        .row()
        .orElseThrow();
  }

  private static List<LaunchFailure> failures(String host, int jobs, long lastAgoMs) {
    return IntStream.range(0, jobs)
        .mapToObj(i -> new LaunchFailure(host, "job-" + i, NOW - lastAgoMs - i))
        .toList();
  }

  /** How many of six jobs for a slot each host gets. */
  private static Map<String, Long> placed(
      Map<String, Suspicion> suspicions, List<AttemptRow> open, AHost... hosts) {
    Shape shape = Shape.of(aRequest("r").build().resources());
    List<QueueHead> heads =
        IntStream.range(0, 6)
            .mapToObj(i -> QueueHeads.head("j" + i, "default", shape, 0, i, List.of(), Set.of()))
            .toList();
    Map<String, AHost> byId =
        Arrays.stream(hosts).collect(Collectors.toMap(host -> host.row().id(), host -> host));
    Snapshot all =
        FleetView.of(
            Arrays.stream(hosts).map(AHost::row).toList(),
            open,
            heads,
            any -> true,
            id -> Optional.of(byId.get(id).heartbeat()),
            any -> Set.of());
    Snapshot judged = all.of(SuspectRules.apply(all.hosts(), suspicions, open));
    return PlacementPass.decide(judged, Long.MAX_VALUE).assignments().stream()
        .collect(Collectors.groupingBy(Assignment::host, Collectors.counting()));
  }
}
