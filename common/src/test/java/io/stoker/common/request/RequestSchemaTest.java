package io.stoker.common.request;

import static io.stoker.common.request.RequestParserTest.command;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.schema.Schemas;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The published schema and the parser judge alike; where the schema is looser, it says so. */
class RequestSchemaTest {
  private static final JsonSchema SCHEMA = Schemas.compiled("request");

  static Stream<String> wrong() {
    Stream<String> fields =
        RequestRefusalsTest.wrongFields()
            .map(Arguments::get)
            .filter(field -> !looser((String) field[0], (String) field[1]))
            .map(field -> "\"" + field[0] + "\": " + field[1]);
    Stream<String> resources =
        RequestRefusalsTest.wrongResources()
            .map(Arguments::get)
            .map(resource -> "\"resources\": " + resource[0]);
    Stream<String> unstorable =
        RequestRefusalsTest.unstorable()
            .filter(given -> given.get()[3].equals("text without NUL characters"))
            .map(given -> (String) given.get()[0]);
    return Stream.of(fields, resources, unstorable).flatMap(all -> all);
  }

  /** What a schema cannot say, as its $comment lists. */
  private static boolean looser(String field, String value) {
    boolean blankProgram = field.equals("command") && value.equals("[\" \"]");
    boolean ownId = field.equals("dependsOn") && value.contains("\"a\"");
    boolean twice = field.equals("dependsOn") && value.startsWith("[\"b\", {\"id\": \"b\"");
    boolean noTime = field.equals("timeout") && value.equals("\"0s\"");
    return blankProgram || ownId || twice || noTime;
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void bothRefuse(String field) throws MalformedJson {
    JsonNode request =
        field.startsWith("\"command\"")
            ? Json.read("{\"id\": \"a\", " + field + "}")
            : Json.read(command(field));
    assertThat(refused(request)).as("the parser refuses").isTrue();
    assertThat(Schemas.problems(SCHEMA, request)).as("the schema refuses").isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"id\": \"\"",
        "\"id\": \"a b\"",
        "\"id\": 5",
        "\"id\": \"iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"
            + "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii\"",
        "\"id\": \"a\", \"unknown\": null"
      })
  void bothRefuseTheWhole(String fields) throws MalformedJson {
    JsonNode request = Json.read("{\"command\": [\"x\"], " + fields + "}");
    assertThat(refused(request)).isTrue();
    assertThat(Schemas.problems(SCHEMA, request)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "null", "5", "\"a\"", "{}", "{\"id\": \"a\"}"})
  void bothRefuseWhatIsNoRequest(String given) throws MalformedJson {
    assertThat(refused(Json.read(given))).isTrue();
    assertThat(Schemas.problems(SCHEMA, Json.read(given))).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"resources\": {\"type\": \"container\"}",
        "\"image\": \"a\", \"resources\": {\"type\": \"gpu\"}",
        "\"image\": \"a\", \"stages\": [\"load\", \"train\"]",
        "\"stages\": [\"load\", \"train\"], \"resources\": {\"type\": \"ssh\"}",
        "\"resources\": {\"gpus\": 2, \"device\": \"0\"}",
        "\"resources\": {\"type\": \"ssh\", \"gpus\": 1, \"sharing\": \"shared\"}",
        "\"resources\": {\"type\": \"aws\", \"gpus\": 1, \"sharing\": \"shared\","
            + " \"gpuMemory\": null}",
        "\"stages\": [\"load\", \"train\"], \"resources\": {\"gpus\": 2}",
        "\"stages\": [\"load\", \"train\"], \"resources\": {\"hosts\": 2}",
        "\"command\": null, \"workers\": \"p\", \"resources\": {\"hosts\": 2}",
        "\"command\": null, \"workers\": \"p\", \"resources\": {\"network\": \"none\"}",
        "\"command\": null, \"workers\": \"p\","
            + " \"resources\": {\"require\": {\"network\": \"none\"}}",
        "\"command\": null, \"workers\": \"p\", \"resources\": {\"type\": \"gpu\"}",
        "\"env\": {\"X\": {\"secret\": \"s\"}}, \"resources\": {\"type\": \"ssh\"}",
        "\"env\": {\"X\": {\"secret\": \"s\"}}, \"resources\": {\"type\": \"aws\"}",
        "\"env\": {\"X\": {\"secret\": \"s\"}}, \"resources\": {\"type\": \"passive\"}"
      })
  void bothRefuseTheseTogether(String fields) throws MalformedJson {
    bothRefuse(fields);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"kind\": \"command\"",
        "\"stages\": [\"load\", \"train\"], \"resources\": {\"gpus\": 1, \"hosts\": 1}",
        "\"env\": {\"X\": {\"secret\": \"s\"}}, \"resources\": {\"type\": \"container\"},"
            + " \"image\": \"a\"",
        "\"env\": {\"X\": \"x\"}, \"resources\": {\"type\": \"ssh\"}",
        "\"image\": \"ghcr.io/a/b@sha256:0f\", \"resources\": {\"gpus\": 1, \"type\": null}",
        "\"image\": \"b:2\", \"resources\": {\"type\": \"container\", \"gpus\": 0, \"hosts\": 2}",
        "\"resources\": {\"type\": \"passive\", \"gpus\": 0, \"hosts\": 1}",
        "\"resources\": {\"type\": \"ssh\", \"gpus\": 2, \"sharing\": \"exclusive\"}",
        "\"resources\": {\"type\": \"ssh\", \"gpus\": 0, \"gpuMemory\": \"1GiB\"}",
        "\"resources\": {\"type\": \"ssh\", \"gpus\": 2, \"gpuMemory\": \"1GiB\"}",
        "\"resources\": {\"type\": \"ssh\", \"gpus\": 1, \"device\": \"0\","
            + " \"sharing\": \"shared\", \"gpuMemory\": 5}",
        "\"resources\": {\"type\": \"aws\", \"gpus\": null, \"device\": \"0\"}",
        "\"kind\": null, \"image\": null, \"resources\": null, \"dedup\": null, \"retry\": null",
        "\"params\": {\"any\": [1e300, null, {\"x\": \"é😀\"}]}",
        "\"params\": null, \"env\": null, \"dependsOn\": null, \"timeout\": null",
        "\"env\": {\"A\": \"\"}, \"labels\": {}",
        "\"resources\": {}",
        "\"resources\": {\"gpus\": 1024, \"gpuMemory\": 0, \"memory\": \"0.5KiB\"}",
        "\"resources\": {\"type\": \"gpu\", \"gpus\": null, \"memory\": \"4   GB\"}",
        "\"resources\": {\"type\": null, \"gpus\": 1, \"cpus\": 0, \"hosts\": 1}",
        "\"resources\": {\"type\": \"cpu\", \"gpus\": 0, \"sharing\": \"shared\"}",
        "\"priority\": -1000",
        "\"priority\": 1000",
        "\"timeout\": \"250ms\", \"queueTimeout\": \"1.5 h\", \"dependencyTimeout\": \"PT1H30M\"",
        "\"timeout\": \"pt5m\", \"queueTimeout\": \"P1DT2H\", \"dependencyTimeout\": \"+PT0.25S\"",
        "\"retry\": {\"app\": 0, \"gpuOom\": 1000, \"launch\": null}",
        "\"dedup\": \"always\"",
        "\"dedup\": {\"key\": \"k\"}",
        "\"dependsOn\": [\"b\", \"c\"]",
        "\"dependsOn\": []",
        "\"dependsOn\": [\"b\", {\"id\": \"c\"}, {\"id\": \"d\", \"condition\": \"failed\"}]",
        "\"dependsOn\": [{\"id\": \"b\", \"condition\": \"ended\"}, {\"id\": \"c\", \"condition\": null}]",
        "\"resultLabels\": [\"\", \"x\"]"
      })
  void bothAccept(String fields) throws MalformedJson {
    JsonNode request = Json.read(command(fields));
    assertThat(refused(request)).as("the parser refuses").isFalse();
    assertThat(Schemas.problems(SCHEMA, request)).isEmpty();
  }

  @Test
  void bothAcceptWhatAPoolRunsOnAHostOfALabel() throws MalformedJson {
    String fields = "\"workers\": \"p\", \"resources\": {\"require\": {\"network\": \"host\"}}";
    JsonNode request = Json.read("{\"id\": \"a\", " + fields + "}");
    assertThat(refused(request)).isFalse();
    assertThat(Schemas.problems(SCHEMA, request)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"dependsOn\": [\"a\"]",
        "\"timeout\": \"0s\"",
        "\"timeout\": \"0.5ms\"",
        "\"timeout\": \"3651d\"",
        "\"timeout\": \"PT\"",
        "\"resources\": {\"memory\": \"1.5B\"}",
        "\"resources\": {\"memory\": \"8388608TiB\"}",
        "\"priority\": 1.0",
        "\"params\": {\"n\": 9007199254740993}",
        "\"params\": {\"n\": 1e400}",
        "\"user\": \"\\ud800\""
      })
  void onlyTheParserRefusesWhatTheSchemasCommentNames(String fields) throws MalformedJson {
    JsonNode request = Json.read(command(fields));
    assertThat(refused(request)).isTrue();
    assertThat(Schemas.problems(SCHEMA, request)).isEmpty();
  }

  @Test
  void theCommentNamesWhereTheSchemaIsLooser() {
    assertThat(Schemas.text("request").path("$comment").textValue())
        .contains("ce_id")
        .contains("blank")
        .contains("depend on itself")
        .contains("whole bytes below 2^63")
        .contains("whole milliseconds, above zero, up to 3650 days")
        .contains("without a fraction")
        .contains("±2^53")
        .contains("fit a double")
        .contains("lone surrogate");
  }

  @Test
  void theIdMayComeWithTheTransport() throws Exception {
    JsonNode request = Json.read("{\"command\": [\"x\"]}");
    assertThat(Schemas.problems(SCHEMA, request)).isEmpty();
    assertThat(RequestParser.parse(request, Optional.of("ce-1")).id()).isEqualTo("ce-1");
    assertThat(refused(request)).isTrue();
  }

  private static boolean refused(JsonNode request) {
    try {
      RequestParser.parse(request, Optional.empty());
      return false;
    } catch (RequestRefused e) {
      return true;
    }
  }
}
