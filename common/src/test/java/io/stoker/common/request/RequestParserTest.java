package io.stoker.common.request;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.Resources.Sharing;
import io.stoker.common.state.FailureCategory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestParserTest {

  @Test
  void fillsInTheDefaults() throws Exception {
    JobRequest request = parse("{\"id\": \"a\", \"command\": [\"/bin/true\"]}");

    assertThat(request)
        .isEqualTo(
            new JobRequest(
                "a",
                "command",
                List.of("/bin/true"),
                Optional.empty(),
                Map.of(),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                Resources.oneSlot(),
                List.of(),
                "default",
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Duration.ofHours(24),
                Map.of(),
                new Dedup.Share(),
                false,
                false,
                List.of(),
                Map.of(),
                "{\"command\":[\"/bin/true\"],\"id\":\"a\"}",
                Optional.empty()));
  }

  @Test
  void parse_withoutANetwork_requiresHostsThatCanKeepItSo() throws Exception {
    String body = "{\"id\": \"a\", \"command\": [\"x\"], \"resources\": {%s}}";
    JobRequest alone = parse(body.formatted("\"network\": \"none\""));

    assertThat(alone.resources().offline()).isTrue();
    assertThat(alone.resources().require()).isEqualTo(Map.of("network", "none"));
    assertThat(Fingerprint.of(alone, List.of(), "j"))
        .isEqualTo(
            Fingerprint.of(
                parse(body.formatted("\"require\": {\"network\": \"none\"}")), List.of(), "j"))
        .isNotEqualTo(Fingerprint.of(parse(body.formatted("")), List.of(), "j"));
    assertThat(parse(body.formatted("\"network\": \"host\"")).resources().offline()).isFalse();
    assertThatThrownBy(
            () ->
                parse(
                    "{\"id\": \"a\", \"workers\": \"p\", \"resources\": {\"network\": \"none\"}}"))
        .hasMessageContaining("resources.network")
        .hasMessageContaining("a pool's workers have theirs");
  }

  @Test
  void parse_withASecret_keepsItsNameApart() throws Exception {
    String body =
        "{\"id\": \"a\", \"command\": [\"x\"], \"env\": {\"A\": \"1\", \"T\": %s}, \"resources\": {%s}}";
    JobRequest request = parse(body.formatted("{\"secret\": \"hf\"}", ""));

    assertThat(request.env()).isEqualTo(Map.of("A", "1"));
    assertThat(request.secrets()).isEqualTo(Map.of("T", "hf"));
    assertThat(Fingerprint.of(request, List.of(), "j"))
        .isNotEqualTo(
            Fingerprint.of(parse(body.formatted("{\"secret\": \"h2\"}", "")), List.of(), "j"))
        .isNotEqualTo(Fingerprint.of(parse(body.formatted("\"hf\"", "")), List.of(), "j"));
    for (String wrong :
        List.of(
            "{\"secret\": \"../x\"}",
            "{\"secret\": \"\"}",
            "{\"secret\": 1}",
            "{}",
            "1",
            "[]",
            "{\"secret\": \"a\", \"path\": \"/etc\"}")) {
      assertThatThrownBy(() -> parse(body.formatted(wrong, "")))
          .isInstanceOf(RequestRefused.class)
          .hasMessageContaining("env.T")
          .hasMessageContaining("the name of a secret");
    }
    assertThatThrownBy(() -> parse(body.formatted("{\"secret\": \"hf\"}", "\"type\": \"ssh\"")))
        .hasMessageContaining("type ssh has no secrets");
  }

  @Test
  void aKindBringsWhatToRun() throws Exception {
    JobRequest posted = parse("{\"id\": \"a\", \"kind\": \"train\", \"params\": {\"x\": 1}}");

    assertThat(posted.needsKind()).isTrue();
    assertThat(posted.resolved()).isEmpty();

    JsonNode filled =
        Json.read("{\"kind\": \"train\", \"command\": [\"train\", \"1\"], \"params\": {\"x\": 1}}");
    JobRequest resolved = RequestParser.resolved(filled, posted.id(), posted.spec());

    assertThat(resolved.needsKind()).isFalse();
    assertThat(resolved.kind()).isEqualTo("train");
    assertThat(resolved.command()).containsExactly("train", "1");
    assertThat(resolved.spec()).isEqualTo(posted.spec());
    assertThat(resolved.resolved().orElseThrow()).contains("\"command\"");
  }

  @Test
  void readsEveryField() throws Exception {
    JobRequest request =
        parse(
            """
            {"id": "train-042", "kind": "command", "command": ["python3", "train.py", "", "--lr"],
             "params": {"lr": 0.1, "none": null}, "env": {"EPOCHS": "3", "EMPTY": ""},
             "workdir": "/srv/exp", "image": null, "stages": null, "workers": null,
             "resources": {"type": "gpu", "gpus": 1, "gpuMemory": "6GiB", "sharing": "shared",
               "cpus": 1, "memory": 2147483648, "device": "GPU-1", "hosts": 1,
               "cpuFallback": false, "gates": true, "require": {"model": "H200"}, "prefer": {"rack": "1"},
               "avoid": ["h2"]},
             "dependsOn": ["features-2", "features-1"], "queue": "vision", "priority": -7,
             "group": "exp-1", "user": "ann", "timeout": "2h", "queueTimeout": "PT30M",
             "dependencyTimeout": "90s", "retry": {"app": 1, "hostLost": 0},
             "dedup": {"key": "mine"}, "preemptible": true, "requiresResult": true,
             "resultLabels": ["loss"], "labels": {"owner": "vision"}}""");

    assertThat(request.command()).containsExactly("python3", "train.py", "", "--lr");
    assertThat(request.params()).contains(Json.read("{\"lr\": 0.1, \"none\": null}"));
    assertThat(request.env()).containsOnly(entry("EPOCHS", "3"), entry("EMPTY", ""));
    assertThat(request.workdir()).contains("/srv/exp");
    assertThat(request.resources())
        .isEqualTo(
            new Resources(
                "gpu",
                1,
                Optional.of(6L << 30),
                Sharing.SHARED,
                0,
                Optional.of(2L << 30),
                Optional.of("GPU-1"),
                false,
                true,
                Map.of("model", "H200"),
                Map.of("rack", "1"),
                List.of("h2"),
                1));
    assertThat(request.dependsOn()).containsExactly("features-2", "features-1");
    assertThat(request.queue()).isEqualTo("vision");
    assertThat(request.priority()).isEqualTo(-7);
    assertThat(request.group()).contains("exp-1");
    assertThat(request.user()).contains("ann");
    assertThat(request.timeout()).contains(Duration.ofHours(2));
    assertThat(request.queueTimeout()).contains(Duration.ofMinutes(30));
    assertThat(request.dependencyTimeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(request.retries())
        .isEqualTo(Map.of(FailureCategory.APP, 1, FailureCategory.HOST_LOST, 0));
    assertThat(request.dedup()).isEqualTo(new Dedup.Key("mine"));
    assertThat(request.preemptible()).isTrue();
    assertThat(request.requiresResult()).isTrue();
    assertThat(request.resultLabels()).containsExactly("loss");
    assertThat(request.labels()).containsOnly(entry("owner", "vision"));
  }

  @Test
  void theQueueThatTheTransportNamesWins() throws Exception {
    byte[] body = "{\"id\": \"a\", \"command\": [\"x\"], \"queue\": \"body\"}".getBytes(UTF_8);

    JobRequest moved = RequestParser.parse(body, Optional.empty(), Optional.of("topic"));

    assertThat(moved.queue()).isEqualTo("topic");
    assertThat(moved.spec()).as("and is kept").contains("\"queue\":\"topic\"");
    assertThat(RequestParser.parse(body, Optional.empty()).queue()).isEqualTo("body");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                            | cpu | 0 | 1
          {"cpus": 3}                   | cpu | 0 | 3
          {"type": "cpu", "cpus": 0}    | cpu | 0 | 0
          {"gpus": 1}                   | gpu | 1 | 0
          {"gpus": 0}                   | cpu | 0 | 1
          {"type": "gpu"}               | gpu | 1 | 0
          {"type": "gpu", "gpus": null} | gpu | 1 | 0
          {"gpus": 2, "cpus": 8}        | gpu | 2 | 0
          {"type": "ssh", "cpus": 8}    | ssh | 0 | 0
          {"type": "ssh", "gpus": 2}    | ssh | 2 | 0
          {"type": "aws", "gpus": 1}    | aws | 1 | 0
          {"type": "passive"}           | passive | 0 | 0
          """)
  void aGpuJobTakesNoSlot(String resources, String type, int gpus, int cpus) throws Exception {
    Resources read = parse(command("\"resources\": " + resources)).resources();
    assertThat(List.of(read.type(), read.gpus(), read.cpus())).containsExactly(type, gpus, cpus);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "image": "a"                                  | 0 | 1
          "image": "a", "resources": {"cpus": 3}        | 0 | 3
          "image": "a", "resources": {"gpus": 2}        | 2 | 0
          "image": "a", "resources": {"type": "container", "gpus": 0} | 0 | 1
          """)
  void anImageMeansAContainer(String fields, int gpus, int cpus) throws Exception {
    JobRequest request = parse(command(fields));
    assertThat(request.image()).contains("a");
    assertThat(request.resources().type()).isEqualTo("container");
    assertThat(request.resources().gpus()).isEqualTo(gpus);
    assertThat(request.resources().cpus()).isEqualTo(cpus);
  }

  @Test
  void everyOwnFieldMayBeNull() throws Exception {
    JobRequest bare = parse("{\"id\": \"a\", \"command\": [\"x\"]}");
    assertThat(
            parse(
                """
                {"id": "a", "kind": null, "command": ["x"], "params": null, "env": null,
                 "workdir": null, "image": null, "stages": null, "workers": null,
                 "resources": null, "dependsOn": null, "queue": null, "priority": null,
                 "group": null, "user": null, "timeout": null, "queueTimeout": null,
                 "dependencyTimeout": null, "retry": null, "dedup": null, "preemptible": null,
                 "requiresResult": null, "resultLabels": null, "labels": null}"""))
        .isEqualTo(bare);
  }

  @Test
  void equalContentHasAnEqualSpec() throws Exception {
    String one =
        """
        {"id": "a", "command": ["x"], "resources": {"gpus": 1, "device": null},
         "retry": {"app": 1, "launch": null}, "params": {"a": 1.0, "n": null}, "group": null}""";
    String same =
        """
        {"retry": {"app": 1}, "params": {"n": null, "a": 1}, "resources": {"gpus": 1},
         "command": ["x"], "id": "a"}""";
    assertThat(parse(one).spec())
        .isEqualTo(parse(same).spec())
        .isEqualTo(
            "{\"command\":[\"x\"],\"id\":\"a\",\"params\":{\"a\":1,\"n\":null},"
                + "\"resources\":{\"gpus\":1},\"retry\":{\"app\":1}}");
    assertThat(parse(same.replace("\"gpus\": 1", "\"gpus\": 2")).spec())
        .isNotEqualTo(parse(one).spec());
  }

  @Test
  void aSpecIsReadBackAsTheSameRequest() throws Exception {
    JobRequest request =
        parse(command("\"params\": {\"x\": [1e-7, null]}, \"dependsOn\": [\"p\", \"q\"]"));
    assertThat(parse(request.spec())).isEqualTo(request);
  }

  @Test
  void takesTheEventIdWhereTheBodyHasNone() throws Exception {
    String body = "{\"command\": [\"x\"]}";
    assertThat(parse(body, "from-header").id()).isEqualTo("from-header");
    assertThat(parse("{\"id\": null, \"command\": [\"x\"]}", "h").id()).isEqualTo("h");
    assertThat(parse("{\"id\": \"own\", \"command\": [\"x\"]}", "h").id()).isEqualTo("own");
    assertThat(parse(body, "h").spec())
        .isEqualTo(parse("{\"id\": \"h\", \"command\": [\"x\"]}").spec());
  }

  @Test
  void unwrapsAStructuredCloudEvent() throws Exception {
    String event =
        """
        {"specversion": "1.0", "type": "any", "source": "/me", "id": "e-1",
         "time": "2026-01-01T00:00:00Z", "data": %s}""";
    assertThat(parse(event.formatted("{\"command\": [\"x\"]}"))).isEqualTo(parse(bare("e-1")));
    assertThat(parse(event.formatted("{\"command\": [\"x\"]}"), "header").id()).isEqualTo("e-1");
    assertThat(parse(event.formatted(bare("own")), "header").id()).isEqualTo("own");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "Train.042_x:y-z", "0", "-"})
  void acceptsIds(String id) throws Exception {
    assertThat(parse(bare(id)).id()).isEqualTo(id);
    assertThat(parse(bare("i".repeat(128))).id()).hasSize(128);
  }

  @Test
  void readsARecordOfExactlyOneMebibyte() throws Exception {
    String start = "{\"id\": \"a\", \"command\": [\"x\"], \"params\": {\"p\": \"";
    String filling = "p".repeat(RequestParser.MAX_BYTES - start.length() - 3);
    String record = start + filling + "\"}}";
    assertThat(record).hasSize(RequestParser.MAX_BYTES);
    assertThat(parse(record).params().orElseThrow().get("p").textValue()).isEqualTo(filling);
  }

  static String command(String more) {
    return "{\"id\": \"a\", \"command\": [\"x\"], " + more + "}";
  }

  private static String bare(String id) {
    return "{\"id\": \"" + id + "\", \"command\": [\"x\"]}";
  }

  private static JobRequest parse(String text) throws RequestRefused, MalformedJson {
    JobRequest fromBytes =
        RequestParser.parse(text.getBytes(StandardCharsets.UTF_8), Optional.empty());
    assertThat(RequestParser.parse(Json.read(text), Optional.empty())).isEqualTo(fromBytes);
    return fromBytes;
  }

  private static JobRequest parse(String text, String eventId) throws RequestRefused {
    return RequestParser.parse(text.getBytes(StandardCharsets.UTF_8), Optional.of(eventId));
  }

  @Test
  void aGangHasNeitherStagesNorAPool() throws Exception {
    String gang = "{\"id\": \"g\", \"resources\": {\"hosts\": 2}, ";
    assertThat(parse(gang + "\"command\": [\"a\"]}").resources().hosts()).isEqualTo(2);
    for (String other :
        List.of(
            "\"command\": [\"a\"], \"stages\": [\"load\", \"train\"]}", "\"workers\": \"p\"}")) {
      assertThatThrownBy(() -> parse(gang + other))
          .isInstanceOf(RequestRefused.class)
          .hasMessageContaining("resources.hosts")
          .hasMessageContaining("2");
    }
  }
}
