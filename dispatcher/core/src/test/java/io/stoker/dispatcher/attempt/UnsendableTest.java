package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.host.Overdue;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.scenario.Scene;
import io.stoker.dispatcher.timer.SweepRules;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UnsendableTest {
  private final Scene scene = new Scene();
  private AttemptRow attempt;

  @BeforeEach
  void placeOne() {
    scene.post(aRequest("a"));
    attempt = scene.place("a", "h1");
  }

  @Test
  void theJobFailsWithItsCodeOnceItsHostIsHeardNotToHaveIt() {
    end("its placement has 7 bytes, expected at most 6");
    assertThat(scene.state("a"))
        .as("it may have been sent when it was smaller")
        .isEqualTo(RequestState.PLACED);
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(1);

    closeOverdue(aHost("h1").clock(attempt.notAfter() + 1).endedBeforeItBegan(attempt));

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.TOO_LARGE);
    assertThat(scene.reason("a")).isEqualTo("its placement has 7 bytes, expected at most 6");
    assertThat(scene.store().attempts()).isEmpty();
  }

  @Test
  void whatWasAcceptedAfterAllGoesOn() {
    scene.report("a", Type.ACCEPTED, null, null);

    end("too large");

    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
    scene.succeed("a");
    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void theSecondTimeChangesNothing() {
    end("first");
    long version = scene.status("a").version();

    end("second");

    assertThat(scene.status("a").version()).isEqualTo(version);
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(1);
  }

  @Test
  void whoCancelledItMeanwhileIsToldThat() {
    end("too large");
    scene.cancel("a");

    scene.report("a", Type.ENDED, Outcome.CANCELLED, null);

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.code("a")).isEqualTo(Code.CANCELLED);
  }

  private void end(String reason) {
    scene.transaction(unit -> Unsendable.end(unit, attempt.key(), Code.TOO_LARGE, reason));
  }

  private void closeOverdue(io.stoker.dispatcher.scenario.AHost host) {
    scene.transaction(
        unit -> SweepRules.close(unit, one -> Overdue.neverAccepted(one, host.heartbeat(), 1)));
  }
}
