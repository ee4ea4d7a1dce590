package io.stoker.common.request;

import static io.stoker.common.request.Refusals.COMMAND;
import static io.stoker.common.request.Refusals.assertRefused;
import static io.stoker.common.request.Refusals.refusal;
import static io.stoker.common.request.RequestParserTest.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.size.ByteSize;
import io.stoker.common.size.Durations;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A refusal names field, value and what was expected, and carries an id only if one is valid. */
class RequestRefusalsTest {
  private static final String A_VALUE =
      "a string, or {\"secret\": \"…\"} with the name of a secret: 1 to 64 of A-Z a-z 0-9 _ -";

  private static final String TEXT_128 = "a string of 1 to 128 characters";
  private static final String NO_NUL = "text without NUL characters";
  private static final String NO_LONE = "text without lone surrogates";
  private static final String EXACT = "an integer within ±2^53";
  private static final String DEDUP = "share, always or {\"key\": \"…\"}";
  private static final String IMAGE = "the name of an image, such as repo/name:tag";
  private static final String POOL_OWN = "nothing: the workers of a pool bring their own";
  private static final String AN_ENTRY = "an id, or {\"id\": \"…\", \"condition\": \"…\"}";
  private static final String RETRIES = "an integer from 0 to 1000";

  /** Field, its value as JSON, the path that is named, and what was expected. */
  static Stream<Arguments> wrongFields() {
    return Stream.of(
        arguments("kind", "\"inference\"", "command", "nothing: kind inference brings its own"),
        arguments("kind", "5", "kind", TEXT_128),
        arguments("command", "\"x\"", "command", "an array of at most 10000 strings"),
        arguments("command", "{}", "command", "an array of at most 10000 strings"),
        arguments("command", "[]", "command", COMMAND),
        arguments("command", "[\" \"]", "command", COMMAND),
        arguments("command", "[\"x\", 5]", "command[1]", "a string of at most 131072 characters"),
        arguments("command", "[null]", "command[0]", "a string of at most 131072 characters"),
        arguments("params", "[]", "params", "an object"),
        arguments("params", "\"x\"", "params", "an object"),
        arguments("env", "[]", "env", "an object of strings"),
        arguments("env", "{\"A\": 1}", "env.A", A_VALUE),
        arguments("env", "{\"A\": null}", "env.A", A_VALUE),
        arguments("env", "{\"\": \"x\"}", "env", "a name for each entry"),
        arguments("env", "{\"A=B\": \"x\"}", "env", "names of variables, without ="),
        arguments("workdir", "5", "workdir", "a string of 1 to 4096 characters"),
        arguments("workdir", "\"\"", "workdir", "a string of 1 to 4096 characters"),
        arguments("image", "\"--privileged\"", "image", IMAGE),
        arguments("image", "\"a b\"", "image", IMAGE),
        arguments("image", "5", "image", "a string of 1 to 1024 characters"),
        arguments("stages", "{}", "stages", "an array of at most 2 strings"),
        arguments("stages", "[]", "stages", "[\"load\", \"train\"]"),
        arguments("stages", "[\"train\", \"load\"]", "stages", "[\"load\", \"train\"]"),
        arguments("workers", "1", "workers", "a string of 1 to 64 characters"),
        arguments("workers", "\"a b\"", "workers", PoolName.EXPECTED),
        arguments("workers", "\"iris\"", "command", POOL_OWN),
        arguments("resources", "[]", "resources", "an object"),
        arguments("dependsOn", "\"b\"", "dependsOn", "an array of at most 10000 ids of requests"),
        arguments("dependsOn", "[1]", "dependsOn[0]", AN_ENTRY),
        arguments("dependsOn", "[[\"b\"]]", "dependsOn[0]", AN_ENTRY),
        arguments("dependsOn", "[{}]", "dependsOn[0].id", RequestId.EXPECTED),
        arguments(
            "dependsOn", "[{\"id\": 1}]", "dependsOn[0].id", "a string of 1 to 131072 characters"),
        arguments("dependsOn", "[{\"id\": \"b c\"}]", "dependsOn", RequestId.EXPECTED),
        arguments(
            "dependsOn",
            "[\"c\", {\"id\": \"b\", \"condition\": \"FAILED\"}]",
            "dependsOn[1].condition",
            "one of succeeded, ended, failed"),
        arguments(
            "dependsOn",
            "[{\"id\": \"b\", \"condtion\": \"failed\"}]",
            "dependsOn[0].condtion",
            "one of condition, id"),
        arguments(
            "dependsOn",
            "[{\"id\": \"a\", \"condition\": \"ended\"}]",
            "dependsOn",
            "the ids of other requests, not its own"),
        arguments(
            "dependsOn",
            "[\"b\", {\"id\": \"b\", \"condition\": \"ended\"}]",
            "dependsOn",
            "each id once"),
        arguments("dependsOn", "[\"b c\"]", "dependsOn", RequestId.EXPECTED),
        arguments("dependsOn", "[\"\"]", "dependsOn", RequestId.EXPECTED),
        arguments(
            "dependsOn", "[\"b\", \"a\"]", "dependsOn", "the ids of other requests, not its own"),
        arguments("dependsOn", "[\"b\", \"b\"]", "dependsOn", "each id once"),
        arguments("queue", "5", "queue", TEXT_128),
        arguments("queue", "\"\"", "queue", TEXT_128),
        arguments("priority", "\"1\"", "priority", "an integer from -1000 to 1000"),
        arguments("priority", "1.5", "priority", "an integer from -1000 to 1000"),
        arguments("priority", "1001", "priority", "an integer from -1000 to 1000"),
        arguments("priority", "-1001", "priority", "an integer from -1000 to 1000"),
        arguments("priority", "4294967296", "priority", "an integer from -1000 to 1000"),
        arguments("group", "[]", "group", TEXT_128),
        arguments("user", "{}", "user", TEXT_128),
        arguments("timeout", "90", "timeout", Durations.EXPECTED),
        arguments("timeout", "\"0s\"", "timeout", Durations.EXPECTED),
        arguments("queueTimeout", "\"-5s\"", "queueTimeout", Durations.EXPECTED),
        arguments("dependencyTimeout", "true", "dependencyTimeout", Durations.EXPECTED),
        arguments("retry", "3", "retry", "an object"),
        arguments("retry", "{\"app\": -1}", "retry.app", RETRIES),
        arguments("retry", "{\"gpuOom\": \"1\"}", "retry.gpuOom", RETRIES),
        arguments(
            "retry",
            "{\"oom\": 1}",
            "retry.oom",
            "one of app, deviceFault, gpuOom, hostLost, hostOom, launch, limit, timeout"),
        arguments("dedup", "\"never\"", "dedup", DEDUP),
        arguments("dedup", "true", "dedup", DEDUP),
        arguments("dedup", "{}", "dedup", DEDUP),
        arguments("dedup", "{\"key\": \"\"}", "dedup.key", "a string of 1 to 512 characters"),
        arguments("dedup", "{\"key\": 5}", "dedup.key", "a string of 1 to 512 characters"),
        arguments("dedup", "{\"ttl\": 5}", "dedup.ttl", "one of key"),
        arguments("preemptible", "\"true\"", "preemptible", "true or false"),
        arguments("requiresResult", "1", "requiresResult", "true or false"),
        arguments("resultLabels", "\"loss\"", "resultLabels", "an array of at most 100 strings"),
        arguments("resultLabels", "[1]", "resultLabels[0]", "a string of at most 128 characters"),
        arguments("labels", "{\"a\": 1}", "labels.a", "a string"),
        arguments("labels", "\"x\"", "labels", "an object of strings"));
  }

  static Stream<Arguments> wrongResources() {
    return Stream.of(
        arguments("{\"type\": \"fpga\"}", "type", "one of aws, container, cpu, gpu, passive, ssh"),
        arguments("{\"type\": 5}", "type", "a string of 1 to 32 characters"),
        arguments("{\"type\": \"cpu\", \"gpus\": 1}", "gpus", "0 for type cpu"),
        arguments("{\"type\": \"passive\", \"gpus\": 1}", "gpus", "0 for type passive"),
        arguments(
            "{\"type\": \"ssh\", \"gpus\": 1, \"sharing\": \"shared\"}",
            "sharing",
            "a gpuMemory beside it, since none is measured for type ssh, or exclusive"),
        arguments(
            "{\"type\": \"aws\", \"gpus\": 1, \"sharing\": \"shared\", \"gpuMemory\": null}",
            "sharing",
            "a gpuMemory beside it, since none is measured for type aws, or exclusive"),
        arguments("{\"type\": \"aws\", \"hosts\": 2}", "hosts", "1 for type aws"),
        arguments("{\"type\": \"gpu\", \"gpus\": 0}", "gpus", "1 or more for type gpu"),
        arguments("{\"gpus\": 2, \"device\": \"0\"}", "gpus", "1 with a device, which is one GPU"),
        arguments("{\"gpus\": -1}", "gpus", "an integer from 0 to 1024"),
        arguments("{\"gpus\": \"1\"}", "gpus", "an integer from 0 to 1024"),
        arguments("{\"gpus\": 1025}", "gpus", "an integer from 0 to 1024"),
        arguments("{\"gpus\": 1, \"gpuMemory\": \"6\"}", "gpuMemory", ByteSize.EXPECTED),
        arguments("{\"gpus\": 1, \"gpuMemory\": -1}", "gpuMemory", ByteSize.EXPECTED),
        arguments("{\"gpus\": 1, \"gpuMemory\": 1.5}", "gpuMemory", ByteSize.EXPECTED),
        arguments("{\"memory\": \"4Gb\"}", "memory", ByteSize.EXPECTED),
        arguments("{\"memory\": true}", "memory", ByteSize.EXPECTED),
        arguments("{\"sharing\": \"SHARED\"}", "sharing", "one of exclusive, shared"),
        arguments("{\"sharing\": 1}", "sharing", "one of exclusive, shared"),
        arguments("{\"cpus\": -1}", "cpus", "an integer from 0 to 65536"),
        arguments("{\"gpus\": 1, \"cpus\": \"x\"}", "cpus", "an integer from 0 to 65536"),
        arguments("{\"device\": 0}", "device", TEXT_128),
        arguments("{\"hosts\": 0}", "hosts", "an integer from 1 to 1024"),
        arguments("{\"hosts\": 1025}", "hosts", "an integer from 1 to 1024"),
        arguments("{\"cpuFallback\": \"no\"}", "cpuFallback", "true or false"),
        arguments("{\"network\": \"no\"}", "network", "one of host, none"),
        arguments(
            "{\"network\": \"none\", \"hosts\": 2}",
            "network",
            "host, since its members meet by it"),
        arguments(
            "{\"network\": \"none\", \"type\": \"ssh\"}",
            "network",
            "host for type ssh, which runs elsewhere"),
        arguments(
            "{\"require\": {\"network\": \"none\"}, \"type\": \"passive\"}",
            "network",
            "host for type passive, which runs elsewhere"),
        arguments("{\"require\": {\"model\": 5}}", "require.model", "a string"),
        arguments("{\"prefer\": []}", "prefer", "an object of strings"),
        arguments("{\"avoid\": \"h\"}", "avoid", "an array of at most 1000 strings"),
        arguments("{\"avoid\": [1]}", "avoid[0]", "a string of at most 128 characters"),
        arguments(
            "{\"gpu\": 1}",
            "gpu",
            "one of avoid, cpuFallback, cpus, device, gates, gpuMemory, gpus, hosts, memory, network,"
                + " prefer, require, sharing, type"));
  }

  /** Rules that hold wherever a value stands. */
  static Stream<Arguments> unstorable() {
    return Stream.of(
        arguments("\"dependsOn\": [\"x\\u0000\"]", "dependsOn[0]", "\\u0000", NO_NUL),
        arguments("\"params\": {\"a\": [\"\\u0000\"]}", "params.a[0]", "\\u0000", NO_NUL),
        arguments("\"labels\": {\"k\\u0000\": \"v\"}", "labels.k\\u0000", "\\u0000", NO_NUL),
        arguments("\"env\": {\"A\": \"\\ud800\"}", "env.A", "\\ud800", NO_LONE),
        arguments("\"params\": {\"\\udc00\": 1}", "params.\\udc00", "\\udc00", NO_LONE),
        arguments("\"params\": {\"n\": 9007199254740993}", "params.n", "9007199254740993", EXACT),
        arguments("\"params\": {\"n\": -9007199254740993}", "params.n", "-9007199254740993", EXACT),
        arguments(
            "\"resources\": {\"memory\": 9007199254740993}",
            "resources.memory",
            "9007199254740993",
            EXACT),
        arguments(
            "\"params\": {\"n\": 1e400}", "params.n", "1E+400", "a number that a double holds"));
  }

  @ParameterizedTest
  @MethodSource("wrongFields")
  void namesTheWrongField(String field, String value, String path, String expected) {
    String record =
        field.equals("command")
            ? "{\"id\": \"a\", \"command\": " + value + "}"
            : command("\"" + field + "\": " + value);
    assertRefused(refusal(record), "a", path, expected);
  }

  @ParameterizedTest
  @MethodSource("wrongResources")
  void namesTheWrongResource(String resources, String path, String expected) {
    RequestRefused refused = refusal(command("\"resources\": " + resources));
    assertRefused(refused, "a", "resources." + path, expected);
  }

  @ParameterizedTest
  @MethodSource("unstorable")
  void refusesWhatCannotBeStored(String more, String path, String value, String expected) {
    RequestRefused refused = refusal(command(more));
    assertRefused(refused, "a", path, expected);
    assertThat(refused.value()).isEqualTo(value);
  }

  @Test
  void saysAllOfIt() {
    RequestRefused gpus = refusal(command("\"resources\": {\"gpus\": -1}"));
    assertThat(gpus).hasMessage("resources.gpus: -1, expected an integer from 0 to 1024");
    assertThat(gpus.value()).isEqualTo("-1");
    RequestRefused memory = refusal(command("\"resources\": {\"memory\": \"4Gb\"}"));
    assertThat(memory.value()).isEqualTo("\"4Gb\"");
    RequestRefused self = refusal(command("\"dependsOn\": [\"a\"]"));
    assertThat(self.value()).isEqualTo("a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "resources": {"type": "container"}             | image          | the image to run, for type container
          "image": "a", "resources": {"type": "gpu"}     | resources.type | container, since the request names an image
          "stages": ["load", "train"], "image": "a"      | resources.type | cpu or gpu, since it has stages
          "stages": ["load", "train"], "resources": {"type": "ssh"} | resources.type | cpu or gpu, since it has stages
          """)
  void anImageIsAContainers(String fields, String path, String expected) {
    assertRefused(refusal(command(fields)), "a", path, expected);
  }

  @Test
  void workersArePlainProcesses() {
    String onSsh = "{\"id\": \"a\", \"workers\": \"p\", \"resources\": {\"type\": \"ssh\"}}";
    assertRefused(refusal(onSsh), "a", "resources.type", "cpu, since it runs in a pool");
  }

  @Test
  void aCommandIsNeeded() {
    assertRefused(refusal("{\"id\": \"a\"}"), "a", "command", COMMAND);
    assertRefused(refusal("{\"id\": \"a\", \"command\": null}"), "a", "command", COMMAND);
  }

  @Test
  void namesAnUnknownFieldAndTheKnownOnes() {
    RequestRefused refused = refusal(command("\"gpus\": 1"));
    assertThat(refused.field()).isEqualTo("gpus");
    assertThat(refused.value()).isEqualTo("an unknown field");
    assertThat(refused.expected()).startsWith("one of command, dedup, dependencyTimeout");
    assertThat(refused.id()).contains("a");
  }
}
