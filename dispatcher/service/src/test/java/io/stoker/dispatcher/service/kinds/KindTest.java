package io.stoker.dispatcher.service.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.request.Fingerprint;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.kinds.KindsRefused;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KindTest {
  private static final String FILE =
      """
      kinds:
        train:
          command: [train, "--rate=${params.rate}", "${params.data}", "$${HOME}"]
          params: {rate: 0.1, data: null, note: "-"}
          env: {DATA: "/data/${params.data}", MODE: fast}
          workdir: /srv/${params.data}
          resources: {gpus: 1, gpuMemory: 4GiB}
          priority: 5
          retry: {app: 1}
          labels: {team: vision}
        flower:
          workers: iris
          params: {petal: null}
        echo:
          command: [echo, "${params.text}"]
        sealed:
          fixed: true
          command: [echo, "${params.text}"]
          env: {MODE: fast}
          resources: {gpus: 1}
      """;

  @Test
  void fillsInWhatTheKindBrings() throws Exception {
    JobRequest filled = fill("'kind': 'train', 'params': {'data': 'cats'}");

    assertThat(filled.kind()).isEqualTo("train");
    assertThat(filled.command()).containsExactly("train", "--rate=0.1", "cats", "${HOME}");
    assertThat(filled.env()).containsEntry("DATA", "/data/cats").containsEntry("MODE", "fast");
    assertThat(filled.workdir()).contains("/srv/cats");
    assertThat(filled.params().orElseThrow().toString())
        .isEqualTo("{\"data\":\"cats\",\"note\":\"-\",\"rate\":0.1}");
    assertThat(filled.resources().gpus()).isEqualTo(1);
    assertThat(filled.resources().gpuMemory()).contains(4L << 30);
    assertThat(filled.priority()).isEqualTo(5);
    assertThat(filled.labels()).containsEntry("team", "vision");
  }

  @Test
  void aKindMayBringWorkersInPlaceOfACommand() throws Exception {
    JobRequest filled = fill("'kind': 'flower', 'params': {'petal': [1.4, 0.2]}");

    assertThat(filled.workers()).contains("iris");
    assertThat(filled.command()).isEmpty();
    assertThat(filled.needsKind()).isFalse();
    assertThat(filled.params().orElseThrow().toString()).isEqualTo("{\"petal\":[1.4,0.2]}");
  }

  @Test
  void whatTheRequestSaysWins() throws Exception {
    JobRequest filled =
        fill(
            "'kind': 'train', 'params': {'data': 'cats', 'rate': 2}, 'env': {'MODE': 'slow', 'X': '${y}'},"
                + " 'workdir': '/w', 'resources': {'gpus': 2}, 'priority': 0, 'retry': {'launch': 2}");

    assertThat(filled.command()).contains("--rate=2");
    assertThat(filled.env())
        .containsEntry("MODE", "slow")
        .containsEntry("DATA", "/data/cats")
        .containsEntry("X", "${y}");
    assertThat(filled.workdir()).contains("/w");
    assertThat(filled.resources().gpus()).isEqualTo(2);
    assertThat(filled.resources().gpuMemory()).contains(4L << 30);
    assertThat(filled.priority()).isZero();
    assertThat(filled.retries()).hasSize(2);
  }

  static Stream<Arguments> values() {
    return Stream.of(
        arguments("'a b'", "a b"),
        arguments("7", "7"),
        arguments("0.50", "0.5"),
        arguments("true", "true"),
        arguments("['x', 1]", "[\"x\",1]"),
        arguments("'${params.text} \\\\ $1'", "${params.text} \\ $1"));
  }

  /** A text as it is, anything else as JSON; what a parameter holds is never looked into. */
  @ParameterizedTest
  @MethodSource("values")
  void aParameterFillsItsPlace(String value, String expected) throws Exception {
    JobRequest filled = fill("'kind': 'echo', 'params': {'text': " + value + "}");

    assertThat(filled.command()).containsExactly("echo", expected);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        arguments("'kind': 'other'", "kind", "one of command, echo, flower, sealed, train"),
        arguments("'kind': 'train'", "params.data", "a value: kind train asks for it"),
        arguments("'kind': 'echo'", "params.text", "a value: kind echo asks for it"),
        arguments("'kind': 'echo', 'params': {'text': null}", "params.text", "a value: kind echo"),
        arguments(
            "'kind': 'train', 'params': {'data': 'x', 'rat': 1}",
            "params.rat",
            "a parameter of kind train: data, note, rate"),
        arguments(
            "'kind': 'train', 'params': {'data': 'x'}, 'resources': {'type': 'cpu'}",
            "resources.gpus",
            "0 for type cpu"),
        sealed("'env': {'LD_PRELOAD': '/tmp/x.so'}", "env"),
        sealed("'workdir': '/tmp'", "workdir"),
        sealed("'image': 'mine'", "image"),
        sealed("'resources': {'gpus': 2}", "resources"));
  }

  private static Arguments sealed(String further, String field) {
    return arguments(
        "'kind': 'sealed', 'params': {'text': 'x'}, " + further,
        field,
        "nothing: kind sealed is fixed");
  }

  @ParameterizedTest
  @MethodSource("refused")
  void refusesByField(String fields, String field, String expected) {
    RequestRefused refused = catchThrowableOfType(RequestRefused.class, () -> fill(fields));

    assertThat(refused).isNotNull();
    assertThat(refused.field()).isEqualTo(field);
    assertThat(refused.expected()).startsWith(expected);
    assertThat(refused.id()).contains("a");
  }

  @Test
  void whatIsFixedTakesParametersAndWhereAndWhenItRuns() throws Exception {
    JobRequest filled =
        fill("'kind': 'sealed', 'params': {'text': 'hi'}, 'priority': 7, 'labels': {'a': 'b'}");

    assertThat(filled.command()).containsExactly("echo", "hi");
    assertThat(filled.env()).containsEntry("MODE", "fast");
    assertThat(filled.priority()).isEqualTo(7);
  }

  @Test
  void itMeansWhatItIsFilledInWith() throws Exception {
    JobRequest byKind = fill("'kind': 'echo', 'params': {'text': 'hi'}");
    JobRequest plain =
        RequestParser.parse(
            bytes("{'id': 'b', 'command': ['echo', 'hi'], 'params': {'text': 'hi'}}"),
            Optional.empty());

    assertThat(Fingerprint.of(byKind, List.of(), ""))
        .isEqualTo(Fingerprint.of(plain, List.of(), ""));
  }

  @Test
  void whatWasAcceptedKeepsWhatItWasFilledInWith() throws Exception {
    JobRequest filled = fill("'kind': 'train', 'params': {'data': 'cats'}");

    JobRequest stored = StoredRequest.parse(RequestRow.arrived(filled, 1, 1, false));

    assertThat(stored).isEqualTo(filled);
    assertThat(stored.spec()).doesNotContain("command");
  }

  @Test
  void aPlainRequestIsLeftAlone() throws Exception {
    JobRequest plain =
        RequestParser.parse(bytes("{'id': 'a', 'command': ['x']}"), Optional.empty());

    assertThat(Kinds.NONE.fill(plain)).isSameAs(plain);
  }

  private static JobRequest fill(String fields) throws RequestRefused, KindsRefused {
    Kinds kinds = new Kinds(1, KindsFile.stored(FILE));
    return kinds.fill(RequestParser.parse(bytes("{'id': 'a', " + fields + "}"), Optional.empty()));
  }

  private static byte[] bytes(String json) {
    return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }
}
