package io.stoker.common.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
  void knowsSha256() {
    assertThat(Fingerprint.sha256("abc".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"resources\": {\"gpus\": 1}",
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
