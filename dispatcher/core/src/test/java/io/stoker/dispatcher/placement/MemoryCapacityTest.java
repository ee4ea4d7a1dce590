package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.scenario.AHost;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is left of a host's memory, in bytes. */
class MemoryCapacityTest {
  private static final Long TOTAL = 100L;

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // can be had, jobs there as promised:taken (each - if not known); left
        "-, '', 100",
        "95, '', 95",
        "-, 30:-, 70",
        "95, 30:-, 65",
        "65, 30:30, 65",
        "75, 30:20, 65",
        "40, 30:60, 40",
        "20, 30:20, 10",
        "5, 30:30, 5",
        "95, 30:-|50:-, 15",
        "45, 30:30|50:20, 15",
        "80, -:20, 80",
        "10, -:-, 10",
        "0, 60:-|60:-, 0",
      })
  void nothingIsPromisedTwice(Long free, String jobs, long left) {
    AHost host = aHost("h");
    List<AttemptRow> open = open(host, jobs);
    if (free != null) {
      host.memoryFree(free);
    }

    assertThat(MemoryCapacity.of(TOTAL, Optional.of(host.heartbeat()), open, List.of()).left())
        .isEqualTo(left);
  }

  @Test
  void whoLeavesGivesBackWhatItHas() {
    AHost host = aHost("h").memoryFree(10);
    List<AttemptRow> open = open(host, "50:40|30:30");

    assertThat(left(host, open, List.of())).isZero();
    assertThat(left(host, open.subList(1, 2), open.subList(0, 1))).isEqualTo(50);
  }

  @Test
  void whatRunsElsewhereOrInAPoolTakesNoneOfIt() {
    AHost host = aHost("h");
    AttemptRow onPool = anAttempt("a").pool("pool").row();
    AttemptRow byContainer = anAttempt("b").runner("container").hostMemory(20L).row();
    AttemptRow elsewhere = anAttempt("c").runner("ssh").row();
    host.holds(onPool, 40);
    host.holds(elsewhere, 30);

    assertThat(left(host, List.of(onPool, byContainer, elsewhere), List.of())).isEqualTo(80);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // offered, can be had, jobs there, asked, firm, kept for others; given
        "-, 1, 90:-, 500, true, 0, true",
        "100, -, '', 100, true, 0, true",
        "100, -, '', 101, true, 0, true",
        "100, -, 10:-, 90, true, 0, true",
        "100, -, 10:-, 91, true, 0, false",
        "100, -, 10:-, 90, true, 1, false",
        "100, 50, '', 60, true, 0, false",
        "100, 50, '', 60, false, 0, true",
        "100, 50, '', 60, false, 1, false",
        "100, 50, -:-, 60, false, 0, false",
        "100, -, -:-, 100, false, 0, false",
        "100, -, 100:-, 1, true, 0, false",
        "100, -, 100:-, -, false, 0, false",
        "100, -, 99:-, -, false, 0, true",
        "100, -, 60:-|60:-, -, false, 0, true",
        "100, -, '', -, false, 99, true",
        "100, -, '', -, false, 100, false",
      })
  void aJobGetsWhatIsLeft(
      Long total, Long free, String jobs, Long asked, boolean firm, long kept, boolean given) {
    AHost host = aHost("h");
    List<AttemptRow> open = open(host, jobs);
    if (free != null) {
      host.memoryFree(free);
    }
    MemoryCapacity room = MemoryCapacity.of(total, Optional.of(host.heartbeat()), open, List.of());

    assertThat(room.has(asked == null ? null : new MemoryNeed(asked, firm), kept)).isEqualTo(given);
  }

  @Test
  void whatIsGivenIsGone() {
    MemoryCapacity room = MemoryCapacity.of(TOTAL, Optional.empty(), List.of(), List.of());

    assertThat(room.take(null)).isNull();
    assertThat(room.take(new MemoryNeed(60, true))).isEqualTo(60);
    assertThat(room.left()).isEqualTo(40);
    assertThat(room.promised()).isEqualTo(60);
    assertThat(room.has(MemoryNeed.ALL, 0)).isFalse();
    assertThat(room.lacks(new MemoryNeed(50, true)))
        .isEqualTo(
            "has 40 B of memory left of the 50 B that it would be promised: 60 B of 100 B are"
                + " promised, or taken");
    assertThat(room.lacks(MemoryNeed.ALL))
        .isEqualTo("would give it all memory that it has, 100 B, and has 2 job(s)");
  }

  @Test
  void allOfItIsGivenToOneThatIsAlone() {
    MemoryCapacity room = MemoryCapacity.of(TOTAL, Optional.empty(), List.of(), List.of());

    assertThat(room.take(MemoryNeed.ALL)).isEqualTo(TOTAL);
    assertThat(room.has(null, 0)).isFalse();
    assertThat(room.lacks(null)).isEqualTo("has given all of its memory to one job");
    assertThat(MemoryCapacity.UNKNOWN.copy().take(MemoryNeed.ALL)).isNull();
    assertThat(MemoryCapacity.UNKNOWN.copy().take(new MemoryNeed(7, false))).isEqualTo(7);
  }

  private static long left(AHost host, List<AttemptRow> open, List<AttemptRow> leaving) {
    return MemoryCapacity.of(TOTAL, Optional.of(host.heartbeat()), open, leaving).left();
  }

  private static List<AttemptRow> open(AHost host, String jobs) {
    List<AttemptRow> open = new ArrayList<>();
    Stream.of(jobs.split("\\|"))
        .filter(job -> !job.isEmpty())
        .map(job -> job.split(":"))
        .forEach(
            job -> {
              Long promised = job[0].equals("-") ? null : Long.valueOf(job[0]);
              AttemptRow row = row("j" + open.size(), promised);
              open.add(row);
              if (!job[1].equals("-")) {
                host.holds(row, Long.parseLong(job[1]));
              }
            });
    return open;
  }

  private static AttemptRow row(String job, Long promised) {
    return anAttempt(job)
        .queue("q")
        .host("h")
        .heard(AttemptRow.State.RUNNING, 1)
        .cpuSlots(1)
        .placed(1, 1)
        .hostMemory(promised)
        .row();
  }
}
