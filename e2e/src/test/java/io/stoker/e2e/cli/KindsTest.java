package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.local.ProcessRef;
import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The kinds of examples/kinds, with which the shared stack is configured. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class KindsTest {
  private static final Path EXAMPLE = Checkout.root().resolve("examples/kinds");

  @TempDir Path folder;

  private final StokerStack stack;

  KindsTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void eachKindOfTheExampleRuns() throws Exception {
    for (String line : Files.readAllLines(EXAMPLE.resolve("requests.jsonl"))) {
      ObjectNode request = (ObjectNode) Json.read(line.replace("FOLDER", EXAMPLE.toString()));
      stack.post(new Posted(request.path("id").asText(), request));
    }

    RequestStatus classifier = stack.statuses().awaitEnd("kinds-classifier");
    RequestStatus finetune = stack.statuses().awaitEnd("kinds-finetune");

    assertThat(classifier.state()).as(classifier.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(classifier.score()).isEqualTo(0.87);
    assertThat(finetune.result()).isEqualTo(Json.read("\"resnet-on-cats-train\""));
    assertThat(stack.statuses().awaitEnd("kinds-task2vec").scores()).isNull();
    assertThat(stack.statuses().awaitEnd("kinds-test").result())
        .isEqualTo(Json.read("{\"features\": \"resnet/cats-test\"}"));
  }

  @Test
  void whatNoKindAllowsIsRejected() {
    stack.post(Posted.bare("kind-unknown").with("kind", "no-such-kind"));

    RequestStatus end = stack.statuses().await("kind-unknown", RequestState.REJECTED);

    assertThat(end.code()).isEqualTo(Code.INVALID_REQUEST);
    assertThat(end.reason()).contains("kind: no-such-kind", "classifier, finetune, inference");
  }

  @Test
  void theCommandLineShowsAndReloadsThem() throws Exception {
    Stoker stoker = new Stoker(stack.data().root(), folder);

    Ended kinds = stoker.run("kinds");
    Ended json = stoker.run("kinds", "--json");
    Ended reload = stoker.run("reload", "--json");

    assertThat(kinds.out()).contains("KIND", "classifier", "name=linear");
    assertThat(json.out().lines()).hasSize(4);
    JsonNode reloaded = Json.read(reload.out());
    assertThat(reload.exitCode()).isZero();
    assertThat(reloaded.path("applied").asBoolean()).isTrue();
    assertThat(reloaded.path("generation").asLong()).isPositive();
  }

  @Test
  void aHangUpEndsNoDispatcher() throws Exception {
    Child dispatcher = stack.processes().children(Role.DISPATCHER).get(0);
    Optional<ProcessRef> before = dispatcher.process();
    new ProcessBuilder("kill", "-HUP", dispatcher.pid().orElseThrow().toString()).start().waitFor();

    stack.post(
        Posted.bare("kind-after-hup")
            .with("kind", "task2vec")
            .with("params", Map.of("folder", EXAMPLE.toString(), "reader", "hup")));

    assertThat(stack.statuses().awaitEnd("kind-after-hup").state())
        .isEqualTo(RequestState.SUCCEEDED);
    assertThat(dispatcher.process()).isEqualTo(before);
  }
}
