package io.stoker.e2e.outside;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.e2e.outside.RunRules.Note;
import io.stoker.e2e.stack.BesideTheSharedStack;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each rule notices what breaks it. */
@BesideTheSharedStack
class RulesTest {
  private final StatusRules statuses = new StatusRules();

  private void see(String id, String state, long version) {
    String json =
        """
        {"id":"%s","state":"%s","version":%d,"job":"j","cached":false}"""
            .formatted(id, state, version);
    statuses.see(id, json.getBytes(StandardCharsets.UTF_8), version);
  }

  @Test
  void see_endThenItsRepeat_isFine() {
    see("a", "RUNNING", 2);
    see("a", "SUCCEEDED", 3);
    see("a", "SUCCEEDED", 3);

    assertThat(statuses.broken()).isEmpty();
    assertThat(statuses.overtaken()).isEmpty();
    assertThat(statuses.unended(List.of("a", "b"))).containsExactly("b");
  }

  @Test
  void see_newerStatusAfterAnEnd_isBroken() {
    see("a", "SUCCEEDED", 3);
    see("a", "RUNNING", 4);

    assertThat(statuses.broken()).hasSize(1).first().asString().startsWith("a had ended");
  }

  @Test
  void overtaken_olderStatusIsTheLast_namesIt() {
    see("a", "SUCCEEDED", 3);
    see("a", "RUNNING", 2);

    assertThat(statuses.overtaken())
        .containsExactly("the last status of a has version 2, the newest 3");
  }

  @Test
  void see_valueThatIsNoJson_isBroken() {
    statuses.see("a", "{".getBytes(StandardCharsets.UTF_8), 1);

    assertThat(statuses.broken()).hasSize(1);
  }

  @Test
  void ofJob_oneAttemptAfterTheOther_isFine() {
    assertThat(
            RunRules.ofJob(
                "j",
                List.of(
                    new Note(1, "start", 1, 9),
                    new Note(1, "beat", 2, 9),
                    new Note(2, "start", 3, 8),
                    new Note(2, "end", 4, 8))))
        .isEmpty();
  }

  @Test
  void ofJob_attemptsThatInterleave_isBroken() {
    assertThat(RunRules.ofJob("j", List.of(new Note(2, "start", 1, 9), new Note(1, "beat", 2, 8))))
        .containsExactly("attempt 1 of j was at work after attempt 2 had begun");
  }

  @Test
  void ofJob_attemptStartedTwice_isBroken() {
    assertThat(RunRules.ofJob("j", List.of(new Note(1, "start", 1, 9), new Note(1, "start", 2, 8))))
        .containsExactly("attempt 1 of j was started twice");
  }

  @Test
  void ofJob_lockHeldByAnother_isBroken() {
    assertThat(RunRules.ofJob("j", List.of(new Note(2, "twice", 1, 9))))
        .containsExactly("attempt 2 of j found another one at work");
  }

  @Test
  void outlives_noteAfterTheLastEnd_isBroken() {
    List<Note> notes = List.of(new Note(1, "start", 10, 9), new Note(1, "beat", 300, 9));

    assertThat(RunRules.outlives("j", notes, List.of(endedAt(200), endedAt(400)))).isEmpty();
    assertThat(RunRules.outlives("j", notes, List.of(endedAt(200), endedAt(250)))).hasSize(1);
  }

  @Test
  void tooEarly_dependencyNotOver_isBroken() {
    List<Note> dependent = List.of(new Note(1, "start", 10, 9));

    assertThat(RunRules.tooEarly("d", dependent, Map.of("a", List.of(new Note(1, "end", 5, 8)))))
        .isEmpty();
    assertThat(RunRules.tooEarly("d", dependent, Map.of("a", List.of(new Note(1, "end", 15, 8)))))
        .containsExactly("d began before a was over");
  }

  private static StatusRules.End endedAt(long at) {
    return new StatusRules.End("SUCCEEDED", "", "j", false, null, 1, at);
  }
}
