package io.stoker.common.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.state.RequestState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintTest {
  private static final String BASE =
      """
      "command": ["python3", "train.py"], "params": {"lr": 0.1, "n": null}, "env": {"A": "1", "B": "2"},
      "workdir": "/srv"\
      """;

  @Test
  void isTheSha256OfTheCanonicalMeaning() throws Exception {
    String meaning =
        "{\"command\":[\"python3\",\"train.py\"],\"dependsOn\":[\"d1\",\"d2\"],"
            + "\"env\":{\"A\":\"1\",\"B\":\"2\"},\"params\":{\"lr\":0.1,\"n\":null},"
            + "\"workdir\":\"/srv\"}";
    assertThat(Fingerprint.of(request(BASE), List.of("d1", "d2"), "job"))
        .isEqualTo(Fingerprint.sha256(meaning.getBytes(StandardCharsets.UTF_8)));
    assertThat(Fingerprint.of(request("\"command\": [\"x\"]"), List.of(), "job"))
        .isEqualTo(Fingerprint.sha256("{\"command\":[\"x\"]}".getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void aConditionPutsTheEndInPlaceOfTheFingerprint() throws Exception {
    JobRequest plain = request("\"command\": [\"x\"], \"dependsOn\": [\"d\"]");
    JobRequest said =
        request(
            "\"command\": [\"x\"],"
                + " \"dependsOn\": [{\"id\": \"d\", \"condition\": \"succeeded\"}]");
    Dependency ended = new Dependency("d", Dependency.Condition.ENDED);
    Dependency failed = new Dependency("d", Dependency.Condition.FAILED);

    assertThat(said.dependencies()).isEqualTo(plain.dependencies());
    assertThat(Fingerprint.ofEnd(failed, RequestState.FAILED, "j1"))
        .isEqualTo("failed: FAILED job j1");
    assertThat(
            List.of(
                Fingerprint.ofEnd(ended, RequestState.FAILED, "j1"),
                Fingerprint.ofEnd(ended, RequestState.SUCCEEDED, "j1"),
                Fingerprint.ofEnd(ended, RequestState.FAILED, "j2"),
                Fingerprint.ofEnd(ended, RequestState.REJECTED, null),
                Fingerprint.ofEnd(failed, RequestState.FAILED, "j1")))
        .doesNotHaveDuplicates();
  }

  /** What was computed before resources were part of the meaning: finished work keeps answering. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"command\": [\"x\"] | ab6bb177a59ae1014477a44266d7dff791bd07283a7efe151068bc27f463662e",
        "\"workers\": \"pool\", \"params\": {\"n\": 1}"
            + " | f5139247d18a75d632a94ea4a4a3c08c8e0a1d083d63dd1aae01e9a7dab0c3dd",
        "\"command\": [\"x\"], \"image\": \"repo/a:1\""
            + " | d690a9d2eb78217b2946af0b29e23ec6a83732930077534cc294508ed02ce362",
        "\"command\": [\"x\"], \"stages\": [\"load\", \"train\"]"
            + " | 4c4122b85336dbdf98a3da97527ba7cbf9a3c9ad8cb5f38dde92ff5fd931223e",
        "\"command\": [\"x\"], \"resources\": {\"gpus\": 8}, \"dedup\": {\"key\": \"k\"}"
            + " | 9d51e365f1c8bfc26e8dff4501c26cf03bf87902824143a6476f10c50e912cf0",
      })
  void requestsThatAskForNothingThatAJobSeesKeepTheirs(String fields, String before)
      throws Exception {
    assertThat(Fingerprint.of(request(fields), List.of(), "job")).isEqualTo(before);
  }

  @Test
  void thatOfBaseIsAsItWas() throws Exception {
    assertThat(fingerprint(BASE))
        .isEqualTo("2d4d1fd6edb85c216187e21dfadac2f5aaddb8112c82ac345c411b9888d71cfb");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"gpus\": 1}",
        "{\"gpus\": 2}",
        "{\"type\": \"ssh\"}",
        "{\"type\": \"aws\", \"gpus\": 1}",
        "{\"type\": \"passive\"}",
        "{\"hosts\": 2}",
        "{\"require\": {\"model\": \"H200\"}}",
        "{\"gpus\": 1, \"device\": \"0\"}",
        "{\"gpus\": 1, \"cpuFallback\": false}",
      })
  void whatAJobSeesOfItsResourcesChangesIt(String resources) throws Exception {
    JobRequest request = request(BASE + ", \"resources\": " + resources);
    List<String> inputs = List.of("d");

    String own = Fingerprint.of(request, inputs, "job");
    assertThat(own).isNotEqualTo(fingerprint(BASE));
    assertThat(Fingerprint.former(request, inputs)).isEqualTo(fingerprint(BASE));
    assertThat(Fingerprint.explicit(request, inputs)).isEqualTo(own);
  }

  @Test
  void theirOrderAndWhatFollowsFromItselfDoNotCount() throws Exception {
    assertThat(fingerprint(BASE + ", \"resources\": {\"type\": \"gpu\"}"))
        .isEqualTo(
            fingerprint(
                BASE + ", \"resources\": {\"require\": {}, \"gpus\": 1, \"cpuFallback\": true}"));
    assertThat(
            Fingerprint.of(
                request("\"command\": [\"x\"], \"resources\": {\"hosts\": 2, \"gpus\": 1}"),
                List.of(),
                "job"))
        .isEqualTo(
            Fingerprint.sha256(
                "{\"command\":[\"x\"],\"resources\":{\"gpus\":1,\"hosts\":2}}"
                    .getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void theExplicitOneOfNothingIsNobodysFormerOne() throws Exception {
    JobRequest plain = request("\"command\": [\"x\"]");
    assertThat(Fingerprint.explicit(plain, List.of()))
        .isEqualTo(
            Fingerprint.sha256(
                "{\"command\":[\"x\"],\"resources\":{}}".getBytes(StandardCharsets.UTF_8)));
    assertThat(Fingerprint.former(plain, List.of()))
        .isEqualTo(Fingerprint.of(plain, List.of(), "job"));
  }

  @Test
  void knowsSha256() {
    assertThat(Fingerprint.sha256("abc".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"resources\": {}",
        "\"resources\": {\"type\": \"cpu\", \"gpus\": 0, \"hosts\": 1, \"device\": null}",
        "\"resources\": {\"cpuFallback\": true, \"require\": {}, \"sharing\": \"exclusive\"}",
        "\"resources\": {\"cpuFallback\": false, \"device\": \"0\"}",
        "\"resources\": {\"cpus\": 4, \"memory\": \"1GiB\", \"gpuMemory\": \"1GiB\"}",
        "\"resources\": {\"sharing\": \"shared\", \"gates\": true, \"prefer\": {\"a\": \"b\"}}",
        "\"resources\": {\"avoid\": [\"h1\"]}",
        "\"queue\": \"other\"",
        "\"priority\": 5",
        "\"group\": \"g\"",
        "\"user\": \"u\"",
        "\"timeout\": \"1s\"",
        "\"queueTimeout\": \"1s\"",
        "\"dependencyTimeout\": \"1s\"",
        "\"retry\": {\"app\": 3}",
        "\"labels\": {\"a\": \"b\"}",
        "\"preemptible\": true",
        "\"kind\": \"command\"",
        "\"dedup\": \"share\"",
        "\"image\": null, \"stages\": null, \"group\": null"
      })
  void whatIsNotMeaningKeepsIt(String more) throws Exception {
    assertThat(fingerprint(BASE + ", " + more)).isEqualTo(fingerprint(BASE));
  }

  @Test
  void theIdAndTheDependenciesIdsKeepIt() throws Exception {
    JobRequest one = RequestParser.parse(tree("one", BASE + ", \"dependsOn\": [\"p\"]"), none());
    JobRequest two = RequestParser.parse(tree("two", BASE + ", \"dependsOn\": [\"q\"]"), none());
    assertThat(Fingerprint.of(one, List.of("same"), "job-1"))
        .isEqualTo(Fingerprint.of(two, List.of("same"), "job-2"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"command\": [\"train.py\", \"python3\"]",
        "\"command\": [\"python3\", \"train.py\", \"\"]",
        "\"params\": {\"lr\": 0.1}",
        "\"stages\": [\"load\", \"train\"]",
        "\"params\": {\"lr\": \"0.1\", \"n\": null}",
        "\"params\": {\"lr\": 0.2, \"n\": null}",
        "\"params\": {\"lr\": 0.1, \"n\": null, \"m\": null}",
        "\"params\": null",
        "\"params\": {}",
        "\"env\": {\"A\": \"1\"}",
        "\"env\": {\"A\": \"2\", \"B\": \"1\"}",
        "\"workdir\": \"/srv/\"",
        "\"image\": \"a\"",
        "\"workdir\": null"
      })
  void whatIsMeaningChangesIt(String changed) throws Exception {
    String field = changed.substring(0, changed.indexOf(':'));
    StringBuilder other = new StringBuilder(changed);
    for (String part :
        List.of(
            "\"command\": [\"python3\", \"train.py\"]",
            "\"params\": {\"lr\": 0.1, \"n\": null}",
            "\"env\": {\"A\": \"1\", \"B\": \"2\"}",
            "\"workdir\": \"/srv\"")) {
      if (!part.startsWith(field)) {
        other.append(", ").append(part);
      }
    }
    assertThat(fingerprint(other.toString())).isNotEqualTo(fingerprint(BASE));
  }

  @Test
  void orderAndSpellingOfKeysKeepIt() throws Exception {
    String same =
        """
        "workdir": "\\/srv", "env": {"B": "2", "A": "1"}, "params": {"n": null, "lr": 1e-1},
        "command": ["python3", "train\\u002epy"]""";
    assertThat(fingerprint(same)).isEqualTo(fingerprint(BASE));
  }

  @Test
  void anEmptyEnvironmentIsNone() throws Exception {
    assertThat(fingerprint("\"command\": [\"x\"], \"env\": {}"))
        .isEqualTo(fingerprint("\"command\": [\"x\"]"));
  }

  @Test
  void dependenciesCountInTheirOrder() throws Exception {
    JobRequest request = request(BASE);
    String inOrder = Fingerprint.of(request, List.of("d1", "d2"), "job");
    assertThat(Fingerprint.of(request, List.of("d2", "d1"), "job")).isNotEqualTo(inOrder);
    assertThat(Fingerprint.of(request, List.of("d1"), "job")).isNotEqualTo(inOrder);
    assertThat(Fingerprint.of(request, List.of(), "job")).isNotEqualTo(inOrder);
  }

  @Test
  void alwaysMeansItsJobAlone() throws Exception {
    JobRequest always = request(BASE + ", \"dedup\": \"always\"");
    assertThat(Fingerprint.of(always, List.of("d"), "job-1"))
        .isEqualTo(Fingerprint.of(always, List.of(), "job-1"))
        .isNotEqualTo(Fingerprint.of(always, List.of("d"), "job-2"))
        .isNotEqualTo(Fingerprint.of(request(BASE), List.of("d"), "job-1"));
  }

  @Test
  void aKeyIsTheWholeMeaning() throws Exception {
    JobRequest keyed = request(BASE + ", \"dedup\": {\"key\": \"k\"}");
    JobRequest other = request("\"command\": [\"x\"], \"dedup\": {\"key\": \"k\"}");
    assertThat(Fingerprint.of(keyed, List.of("d"), "job-1"))
        .isEqualTo(Fingerprint.of(other, List.of(), "job-2"));
    JobRequest another = request(BASE + ", \"dedup\": {\"key\": \"K\"}");
    assertThat(Fingerprint.of(another, List.of(), "job-1"))
        .isNotEqualTo(Fingerprint.of(keyed, List.of(), "job-1"));
    // a key that reads like a job's id is not that job
    JobRequest always = request(BASE + ", \"dedup\": \"always\"");
    assertThat(Fingerprint.of(always, List.of(), "k"))
        .isNotEqualTo(Fingerprint.of(keyed, List.of(), "k"));
  }

  private static String fingerprint(String fields) throws Exception {
    return Fingerprint.of(request(fields), List.of("d"), "job");
  }

  private static JobRequest request(String fields) throws Exception {
    return RequestParser.parse(tree("a", fields), none());
  }

  private static JsonNode tree(String id, String fields) throws Exception {
    return Json.read("{\"id\": \"" + id + "\", " + fields + "}");
  }

  private static Optional<String> none() {
    return Optional.empty();
  }
}
