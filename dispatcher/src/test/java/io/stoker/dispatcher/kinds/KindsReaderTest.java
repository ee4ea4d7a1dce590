package io.stoker.dispatcher.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KindsReaderTest {

  @Test
  void readsYamlAndJsonAlike() throws KindsRefused {
    Map<String, Kind> yaml =
        read(
            """
            kinds:
              train:
                command: [train, "${params.rate}"]
                params: {rate: 0.10, model: null}
                queue: default      # a comment
                resources:
                  gpus: 1
            """);
    Map<String, Kind> json =
        read(
            """
            {"kinds": {"train": {"command": ["train", "${params.rate}"],
              "params": {"rate": 0.1, "model": null}, "queue": "default", "resources": {"gpus": 1}}}}
            """);

    assertThat(yaml).isEqualTo(json).containsOnlyKeys("train");
    assertThat(yaml.get("train").definition().at("/params/rate").asText()).isEqualTo("0.1");
  }

  @Test
  void textThatIsNoJsonScalarStaysText() throws KindsRefused {
    Kind kind = read("kinds: {k: {command: [no, 010, 1:30, yes, ~x]}}").get("k");

    assertThat(kind.definition().path("command").toString())
        .isEqualTo("[\"no\",\"010\",\"1:30\",\"yes\",\"~x\"]");
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        arguments("", 1, "empty"),
        arguments("kinds: [", 1, "neither YAML nor JSON"),
        arguments("kinds:\n  a:\n   b\n  c: d\n  - e\n", 5, "neither YAML nor JSON"),
        arguments("kinds: {}\nqueues: {}\n", 2, "queues: an unknown field, expected kinds"),
        arguments("- a\n", 1, "expected an object with the field kinds"),
        arguments("kinds: 5\n", 1, "kinds: 5, expected an object of kinds by name"),
        arguments("kinds:\n  a: 5\n", 2, "kinds.a: 5, expected an object"),
        arguments("kinds:\n  command:\n    command: [x]\n", 2, "and not command"),
        arguments("kinds:\n  'a b':\n    command: [x]\n", 2, "expected as its name"),
        arguments("kinds:\n  a:\n    queue: default\n", 2, "kinds.a.command: missing or empty"),
        arguments("kinds:\n  a:\n    command: x\n", 3, "kinds.a.command: \"x\", expected an array"),
        arguments("kinds:\n  a:\n    command:\n    - x\n    - 5\n", 5, "kinds.a.command[1]: 5"),
        arguments("kinds:\n  a:\n    command: [x]\n    id: b\n", 4, "kinds.a.id: belongs to each"),
        arguments(
            "kinds:\n  a:\n    command: [x]\n    gpus: 1\n", 4, "kinds.a.gpus: an unknown field"),
        arguments("kinds:\n  a: {command: [x]}\n  a: {command: [y]}\n", 3, "kinds.a: given twice"),
        arguments(
            "kinds:\n  a:\n    command: [x]\n    resources:\n      gpus: many\n",
            5,
            "kinds.a.resources.gpus: \"many\", expected an integer"),
        arguments(
            "kinds:\n  a:\n    command: [x]\n    priority: 5000\n",
            4,
            "kinds.a.priority: 5000, expected an integer from -1000 to 1000"),
        arguments(
            "kinds:\n  a:\n    command: [x]\n    retry: {apps: 1}\n",
            4,
            "kinds.a.retry.apps: an unknown field"),
        arguments(
            "kinds:\n  a:\n    command:\n      - x\n      - ${HOME}\n",
            5,
            "${HOME}, expected ${params.NAME}; $${ stands for ${ itself"),
        arguments("kinds:\n  a:\n    command: ['${params.x']\n", 3, "expected ${params.NAME}"),
        arguments("kinds:\n  a:\n    command: ['${params.}']\n", 3, "expected ${params.NAME}"),
        arguments(
            "kinds:\n  a:\n    params: {x: 1}\n    command: [x]\n    env: {E: '${params.y}'}\n",
            5,
            "kinds.a.env.E: ${params.y}, expected one of its params: x"),
        arguments(
            "kinds:\n  a:\n    command: [x]\n    queue: nowhere\n", 4, "kinds.a.queue: nowhere"),
        arguments("kinds:\n  a:\n    command: [x]\n    stages: {}\n", 4, "kinds.a.stages: {}"),
        arguments("kinds:\n  a:\n    command: [\"\\0\"]\n", 3, "without NUL"),
        arguments("kinds:\n  a: &a\n    params: {b: *a}\n", 1, ""));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void refusesWithLineAndReason(String text, int line, String reason) {
    KindsRefused refused = catchThrowableOfType(KindsRefused.class, () -> read(text));

    assertThat(refused).as(text).isNotNull();
    assertThat(refused).hasMessageContaining(reason);
    if (!reason.isEmpty()) {
      assertThat(refused.line()).as(refused.getMessage()).isEqualTo(line);
    }
  }

  private static Map<String, Kind> read(String text) throws KindsRefused {
    return new KindsReader(KindsReaderTest::door).read(YamlText.read(text));
  }

  private static Optional<RequestRefused> door(JobRequest request) {
    return request.queue().equals("default")
        ? Optional.empty()
        : Optional.of(new RequestRefused(request.id(), "queue", request.queue(), "default"));
  }
}
