package io.stoker.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.security.Macs;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What goes together, and what an end makes needless. */
class ReporterTest {
  private static final String TOKEN = "dG9rZW4=";

  private final List<EventsRecord> sent = new ArrayList<>();
  private final Reporter reporter =
      new Reporter(
          "host",
          (key, value) -> {
            try {
              sent.add(Json.read(value, EventsRecord.class));
            } catch (MalformedJson e) {
              throw new AssertionError(e);
            }
            return CompletableFuture.completedFuture(null);
          },
          Runnable::run);

  private void say(String job, int seq, Type type) {
    reporter.send(
        new AttemptEvent(
            job, 1, seq, type, 1, List.of(), null, null, null, null, null, null, null, null, null),
        TOKEN);
  }

  private List<String> types() {
    return sent.stream()
        .flatMap(record -> record.events().stream())
        .map(event -> event.job() + " " + event.type())
        .toList();
  }

  @Test
  void anEndSaysWhatTheStepsBeforeItWould() {
    say("a", 1, Type.ACCEPTED);
    say("b", 1, Type.ACCEPTED);
    say("a", 2, Type.RUNNING);
    say("a", 3, Type.PROGRESS);
    say("a", 4, Type.ENDED);

    reporter.inEpoch(OptionalLong.of(7));

    assertThat(types()).containsExactly("b ACCEPTED", "a PROGRESS", "a ENDED");
    assertThat(sent).hasSize(1);
    assertThat(sent.getFirst().epoch()).isEqualTo(7);
  }

  @Test
  void whatWasSentIsNotTakenBack() {
    reporter.inEpoch(OptionalLong.of(1));
    say("a", 1, Type.ACCEPTED);
    say("b", 1, Type.ENDED);
    say("a", 2, Type.ENDED);
    assertThat(types()).containsExactly("a ACCEPTED", "b ENDED", "a ENDED");
  }

  @Test
  void everyEventIsSignedWithItsToken() {
    reporter.inEpoch(OptionalLong.of(1));
    say("a", 1, Type.ENDED);
    AttemptEvent event = sent.getFirst().events().getFirst();
    assertThat(Macs.verify(Base64.getDecoder().decode(TOKEN), Json.tree(event))).isTrue();
  }
}
