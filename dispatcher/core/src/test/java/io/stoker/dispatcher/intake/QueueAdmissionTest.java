package io.stoker.dispatcher.intake;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.scenario.Scene;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QueueAdmissionTest {
  private static final QueueSettings VAULT =
      new QueueSettings("vault", 1, OptionalInt.empty(), OptionalInt.empty(), false);
  private static final QueueSettings SHORT =
      new QueueSettings("short", 1, OptionalInt.empty(), OptionalInt.of(2), true);

  private final QueueAdmission admission =
      new QueueAdmission(
          new Queues(List.of(VAULT, SHORT)),
          Map.of("hf", Set.of("short"), "any", Set.of("*")),
          pool -> pool.equals("warm") ? Map.of("A", "any", "T", "hf") : Map.of());
  private final Scene scene = new Scene();

  @Test
  void theDefaultQueueIsThereAndOpen() {
    assertThat(refusal("default", false)).isEmpty();
  }

  @Test
  void aQueueThatIsNotOpenIsReachedByItsOwnTopicAlone() {
    assertThat(refusal("vault", true)).isEmpty();
    assertThat(refusal("vault", false).orElseThrow().getMessage())
        .isEqualTo(
            "queue: vault, expected the name of an open queue: default, short; this one takes what"
                + " is posted to its own topic alone");
  }

  @Test
  void aQueueThatNobodyConfiguredIsRefusedByEitherWay() {
    for (boolean own : List.of(true, false)) {
      RequestRefused why = refusal("typo", own).orElseThrow();
      assertThat(why.field()).isEqualTo("queue");
      assertThat(why.value()).isEqualTo("typo");
      assertThat(why.expected()).isEqualTo("the name of a configured queue: default, short, vault");
    }
  }

  @Test
  void refusal_ofASecret_isForQueuesThatMayNotUseIt() throws RequestRefused {
    assertThat(asking("short", "hf")).isEmpty();
    assertThat(asking("short", "any")).isEmpty();
    assertThat(asking("default", "any")).isEmpty();
    for (String unusable : List.of("hf", "none")) {
      assertThat(asking("default", unusable).orElseThrow().getMessage())
          .isEqualTo(
              "env.T.secret: %1$s, expected a secret that queue default may use: see stoker.secrets.%1$s.queues"
                  .formatted(unusable));
    }
  }

  @Test
  void refusal_ofAPoolWhoseWorkersHaveASecret_isForQueuesThatMayNotUseIt() {
    assertThat(admission.refusal(aRequest("r").queue("short").workers("warm").build(), false))
        .isEmpty();
    assertThat(admission.refusal(aRequest("r").workers("other").build(), false)).isEmpty();
    assertThat(
            admission
                .refusal(aRequest("r").workers("warm").build(), false)
                .orElseThrow()
                .getMessage())
        .isEqualTo(
            "workers: warm, expected a pool whose secrets queue default may use: see stoker.secrets.hf.queues");
  }

  private Optional<RequestRefused> asking(String queue, String secret) throws RequestRefused {
    String body =
        "{\"id\":\"a\",\"command\":[\"x\"],\"queue\":\"%s\",\"env\":{\"T\":{\"secret\":\"%s\"}}}"
            .formatted(queue, secret);
    return admission.refusal(
        RequestParser.parse(body.getBytes(StandardCharsets.UTF_8), Optional.empty()), false);
  }

  @Test
  void aFullLineLetsNobodyIn() {
    QueueLimits room = new QueueLimits().with(SHORT, 1);

    List<Refusal> refusals =
        scene.post(room, aRequest("a").queue("short"), aRequest("b").queue("short"), aRequest("c"));

    assertThat(refusals).extracting(refusal -> refusal.request().id()).containsExactly("b");
    assertThat(((Refusal.Full) refusals.get(0)).sentence())
        .isEqualTo(
            "queue: short, expected one with room in its line: 2 jobs stand in it, max-queued is"
                + " 2");
    assertThat(scene.store().requests())
        .as("the refused id is remembered, and nothing else of it")
        .extracting(row -> row.id(), row -> row.ended())
        .containsExactly(tuple("a", null), tuple("b", RequestState.REJECTED), tuple("c", null));
  }

  @Test
  void whatNeedsNoPlaceIsLetIntoAFullLine() {
    scene.post(aRequest("a").queue("short"));
    QueueLimits full = new QueueLimits().with(SHORT, 2);

    assertThat(scene.post(full, aRequest("a").queue("short"))).as("accepted before").isEmpty();
    assertThat(scene.post(full, aRequest("twin").meaning("a").queue("short")))
        .as("shares a's job")
        .isEmpty();
    assertThat(scene.post(full, aRequest("later").queue("short").dependsOn("a"))).hasSize(1);
  }

  private Optional<RequestRefused> refusal(String queue, boolean ownTopic) {
    return admission.refusal(aRequest("r").queue(queue).build(), ownTopic);
  }
}
