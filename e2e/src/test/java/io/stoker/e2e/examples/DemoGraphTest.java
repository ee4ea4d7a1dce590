package io.stoker.e2e.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.request.Fingerprint;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.Checkout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The example graphs are what a dispatcher would accept, and mean what the demo says of them. */
class DemoGraphTest {
  private static final Path IRIS = Checkout.examples().resolve("iris");

  @Test
  void everyStepIsAValidRequestOnKnownIds() throws Exception {
    Map<String, JobRequest> requests = requests(IRIS.resolve("graph.jsonl"), "request");
    assertThat(requests).hasSize(12);
    for (JobRequest request : requests.values()) {
      assertThat(requests.keySet()).as(request.id()).containsAll(request.dependsOn());
      assertThat(Path.of(request.command().get(3))).as(request.id()).isRegularFile();
    }
  }

  @Test
  void everyStepExpectsAStateAndWaitsForKnownIdsOnly() throws Exception {
    Set<String> before = new HashSet<>();
    for (String line : Files.readAllLines(IRIS.resolve("graph.jsonl"))) {
      JsonNode step = Json.read(line);
      assertThat(step.fieldNames())
          .toIterable()
          .isSubsetOf("title", "postAfter", "request", "expect");
      assertThat(step.get("title").asText()).isNotBlank();
      assertThat(step.get("expect").fieldNames())
          .toIterable()
          .contains("state")
          .isSubsetOf("state", "code", "exitCode", "shared", "cached");
      assertThat(RequestState.valueOf(step.get("expect").get("state").asText()).terminal())
          .isTrue();
      if (step.get("expect").has("code")) {
        assertThat(Code.valueOf(step.get("expect").get("code").asText())).isNotNull();
      }
      step.path("postAfter").forEach(id -> assertThat(before).contains(id.asText()));
      before.add(step.get("request").get("id").asText());
    }
  }

  @Test
  void theTwinAndTheRepeatMeanTheSame() throws Exception {
    Map<String, JobRequest> requests = requests(IRIS.resolve("graph.jsonl"), "request");
    Map<String, String> fingerprints = new LinkedHashMap<>();
    requests.keySet().forEach(id -> fingerprint(id, requests, fingerprints));
    assertThat(fingerprints.get("knn-petals-twin")).isEqualTo(fingerprints.get("knn-petals"));
    assertThat(fingerprints.get("knn-petals-again")).isEqualTo(fingerprints.get("knn-petals"));
    assertThat(Set.copyOf(fingerprints.values())).hasSize(10);
  }

  @Test
  void thePythonGraphIsValid() throws Exception {
    Map<String, JobRequest> requests = requests(IRIS.resolve("python.jsonl"), null);
    assertThat(requests).hasSize(5);
    for (JobRequest request : requests.values()) {
      assertThat(requests.keySet()).as(request.id()).containsAll(request.dependsOn());
      assertThat(Path.of(request.command().get(1))).as(request.id()).isRegularFile();
    }
  }

  private static String fingerprint(
      String id, Map<String, JobRequest> requests, Map<String, String> known) {
    if (!known.containsKey(id)) {
      List<String> inputs = new ArrayList<>();
      requests.get(id).dependsOn().forEach(on -> inputs.add(fingerprint(on, requests, known)));
      known.put(id, Fingerprint.of(requests.get(id), inputs, "job-of-" + id));
    }
    return known.get(id);
  }

  /** The requests of a file by id, placeholders filled; each is a line, or a field of a line. */
  private static Map<String, JobRequest> requests(Path file, String field) throws Exception {
    Map<String, JobRequest> requests = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file)) {
      JsonNode tree =
          Json.read(
              line.replace("${java}", Program.javaCommand())
                  .replace("${examples}", Checkout.examples().toString()));
      byte[] value =
          Json.text(field == null ? tree : tree.get(field)).getBytes(StandardCharsets.UTF_8);
      JobRequest request = RequestParser.parse(value, Optional.empty());
      assertThat(requests).doesNotContainKey(request.id());
      requests.put(request.id(), request);
    }
    return requests;
  }
}
