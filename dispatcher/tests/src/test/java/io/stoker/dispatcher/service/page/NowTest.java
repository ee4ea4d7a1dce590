package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.service.page.Now.Since;
import io.stoker.dispatcher.service.page.Now.Trouble;
import io.stoker.dispatcher.service.page.Tallies.Tally;
import io.stoker.dispatcher.service.rest.HostView;
import io.stoker.dispatcher.service.rest.HostsResource.Fleet;
import io.stoker.dispatcher.service.rest.HostsResource.Ignored;
import io.stoker.dispatcher.service.testing.FakeAgent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NowTest {
  private static final Tally NONE = new Tally(List.of(), false, null);

  private String state = "UP";
  private boolean usable = true;
  private boolean cordoned;
  private boolean suspect;
  private HostView.Drained drain;
  private String reason;
  private List<DeviceInfo> gpus = List.of();

  private HostView host() {
    return new HostView(
        "h",
        "default",
        new HostView.Condition(state, usable, usable, cordoned, suspect, drain, reason),
        new HostView.Agent(1, "1", null),
        FakeAgent.resources("h", 4, gpus, null),
        new HostView.Room(0, 4, 0, null, 0, null, null),
        List.of(),
        null,
        null,
        null);
  }

  private Now now(List<Ignored> ignored) {
    return Now.of(
        new Fleet(List.of(host()), ignored),
        List.of(),
        NONE,
        NONE,
        new Jobs(List.of(), false),
        List.of(),
        new Since("2026-01-31T12:00:00Z", false),
        "2026-01-31T13:00:00Z");
  }

  private List<Trouble> troubles() {
    return now(List.of()).troubles();
  }

  @Test
  void of_aHostThatIsUp_isWell() {
    assertThat(now(List.of()).well()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"LOST, lost", "GONE, gone", "UNREACHABLE, unreachable", "HELD, held"})
  void of_aHostThatIsNotUp_saysSoAndWhy(String now, String what) {
    state = now;
    usable = false;
    reason = "why";
    assertThat(troubles()).containsExactly(new Trouble("h", what, "why"));
  }

  @Test
  void of_aHostThatIsNotHeard_isAway() {
    usable = false;
    assertThat(troubles()).containsExactly(new Trouble("h", "away", ""));
  }

  @Test
  void of_aSuspectHost_saysSo() {
    suspect = true;
    reason = "3 jobs could not be started there";
    assertThat(troubles()).containsExactly(new Trouble("h", "suspect", reason));
  }

  @Test
  void of_aCordonedHost_saysByWhom() {
    cordoned = true;
    reason = "by ann: a new fan";
    assertThat(troubles()).containsExactly(new Trouble("h", "cordoned", reason));
  }

  @ParameterizedTest
  @CsvSource({"true, drained", "false, draining"})
  void of_aHostThatIsEmptied_saysHowFar(boolean empty, String what) {
    cordoned = true;
    drain = new HostView.Drained(empty, null);
    assertThat(troubles()).extracting(Trouble::what).containsExactly(what);
  }

  @ParameterizedTest
  @CsvSource({
    "SUSPECT, GPU 0 suspect",
    "UNHEALTHY, GPU 0 unhealthy",
    "QUARANTINED, GPU 0 quarantined"
  })
  void of_aGpuThatIsNotWell_saysWhichAndWhy(String of, String what) {
    gpus = List.of(gpu(of));
    assertThat(troubles()).containsExactly(new Trouble("h", what, "Xid 79"));
  }

  @ParameterizedTest
  @CsvSource({"OK", "CLEANING"})
  void of_aGpuThatServesOrIsCleaned_isWell(String of) {
    gpus = List.of(gpu(of));
    assertThat(now(List.of()).well()).isTrue();
  }

  private static DeviceInfo gpu(String of) {
    return new DeviceInfo("0", "GPU-0", "fake", 1L << 33, "9.0", of, "Xid 79");
  }

  @Test
  void of_anAgentThatIsNotBelieved_saysWhy() {
    assertThat(now(List.of(new Ignored("h9", "not signed"))).troubles())
        .containsExactly(new Trouble("h9", "ignored", "not signed"));
  }
}
