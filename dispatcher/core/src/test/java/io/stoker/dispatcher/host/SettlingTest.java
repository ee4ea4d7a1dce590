package io.stoker.dispatcher.host;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Restored;
import io.stoker.dispatcher.scenario.AHost;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SettlingTest {
  private static final long FLOOR = 1 << 20;
  private static final Silence HEARD = (epoch, outageMs) -> 1;
  private static final Silence SILENT = (epoch, outageMs) -> 0;

  private static Restored asked(boolean successor) {
    return new Restored(5, FLOOR, 0L, false, successor);
  }

  private static AHost welcomed() {
    return aHost("h1").epoch(FLOOR + 1).restored(asked(true));
  }

  private static AttemptRow attempt(String job, int number) {
    return anAttempt(job)
        .number(number)
        .queue("q")
        .heard(AttemptRow.State.RUNNING, 1)
        .cpuSlots(1)
        .row();
  }

  private static boolean settled(AHost host, List<AttemptRow> open, Silence silence) {
    return Settling.isSettled(host.row(), open, Optional.of(host.heartbeat()), silence);
  }

  @Test
  void aHostThatHoldsNothingInAnEpochOfTheRestoredDatabaseIsSettled() {
    assertThat(settled(welcomed(), List.of(), HEARD)).isTrue();
  }

  @Test
  void whatTheDatabaseKnowsMayRunOn() {
    assertThat(settled(welcomed().holds(attempt("a", 1)), List.of(attempt("a", 1)), HEARD))
        .isTrue();
  }

  @Test
  void whatItDoesNotKnowHasToEnd() {
    AHost host = welcomed().holds(attempt("a", 2));
    assertThat(settled(host, List.of(), HEARD)).isFalse();
    assertThat(settled(host, List.of(attempt("a", 1)), HEARD)).as("another attempt").isFalse();
    assertThat(Settling.what(host.row())).contains("end what the database does not know");

    assertThat(settled(welcomed().holdsEnded(attempt("a", 2)), List.of(), HEARD)).isTrue();
  }

  @Test
  void anEpochOfBeforeProvesNothing() {
    assertThat(settled(aHost("h1").epoch(FLOOR).restored(asked(false)), List.of(), SILENT))
        .isFalse();
    assertThat(
            Settling.isSettled(
                welcomed().row(),
                List.of(),
                Optional.of(aHost("h1").epoch(FLOOR).heartbeat()),
                HEARD))
        .as("the heartbeat of the agent before")
        .isFalse();
    assertThat(Settling.isSettled(welcomed().row(), List.of(), Optional.empty(), HEARD)).isFalse();
  }

  @Test
  void ofAnotherAgentThatTookTheNameTheOneBeforeHasToBeSilent() {
    AHost another = aHost("h1").epoch(FLOOR + 1).restored(asked(false));
    assertThat(settled(another, List.of(), HEARD)).isFalse();
    assertThat(settled(another, List.of(), SILENT)).isTrue();
  }

  @Test
  void onlyTheSuccessorOfTheLastOneBeforeIsAlone() {
    assertThat(asked(false).granted(FLOOR, true, 0).successor()).isTrue();
    assertThat(asked(false).granted(FLOOR, false, 0).successor()).isFalse();
    assertThat(new Restored(5, FLOOR, 0L, true, false).granted(FLOOR, true, 0).successor())
        .as("who had the last one before is not known")
        .isFalse();
    assertThat(asked(false).granted(FLOOR + 1, true, 0).successor())
        .as("the successor of another agent")
        .isFalse();
    assertThat(asked(true).granted(FLOOR + 1, true, 0).successor()).isTrue();
    assertThat(asked(true).granted(FLOOR + 1, false, 0).successor()).isFalse();
  }

  @Test
  void whereTheLongestOutageIsNotKnownSilenceProvesNothing() {
    AHost host = aHost("h1").epoch(FLOOR).restored(new Restored(5, FLOOR, null, false, false));
    assertThat(host.row().outageMs()).isGreaterThan(100 * 365 * 24 * 3_600_000L);
    assertThat(Settling.what(host.row())).contains("declared dead");
    assertThat(host.maxOutage(7).epoch(FLOOR + 1).row().outageMs()).as("it said").isEqualTo(7);
    assertThat(host.row().restored().granted(FLOOR, false, 7).outageMs()).isEqualTo(7);
    assertThat(asked(false).granted(FLOOR, false, 7).outageMs()).as("it is known").isZero();
  }

  @Test
  void whoIsWaitedForIsNamed() {
    HostRow settled = aHost("h1").row();
    HostRow waited = aHost("h2").epoch(FLOOR).restored(asked(false)).row();
    assertThat(Settling.waits(List.of(settled))).isEmpty();
    assertThat(Settling.waits(List.of(settled, waited)).orElseThrow())
        .contains("restored at 1970-01-01", "h2, which is to say hello")
        .doesNotContain("h1");
  }

  @Test
  void whoIsDeclaredDeadIsSettled() {
    HostRow lost = aHost("h1").state(HostRow.State.LOST).epoch(FLOOR).restored(asked(false)).row();
    assertThat(lost.declaredDead()).isFalse();

    HostRow declared = lost.drained("burnt", new HostRow.Drain(null, true));
    assertThat(declared.declaredDead()).isTrue();
    HostRow dead = declared.dead("declared dead");
    assertThat(dead.unsettled()).isFalse();
    assertThat(dead.epoch()).isEqualTo(FLOOR + 1);
  }
}
