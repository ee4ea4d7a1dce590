package io.stoker.dispatcher.service.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.kinds.Kind;
import io.stoker.dispatcher.kinds.KindsReader;
import io.stoker.dispatcher.kinds.KindsRefused;
import java.util.List;
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
  void aliasesThatStandForBillionsOfValuesAreRefused() {
    StringBuilder bomb = new StringBuilder("kinds: {k: {params: {a0: &a0 [x, x]");
    for (int i = 1; i <= 24; i++) {
      bomb.append(", a%d: &a%d [*a%d, *a%d]".formatted(i, i, i - 1, i - 1));
    }
    KindsRefused refused =
        catchThrowableOfType(KindsRefused.class, () -> read(bomb.append("}}}").toString()));

    assertThat(refused).hasMessageContaining("more than 100000 values");
    assertThat(refused.line()).isEqualTo(1);
  }

  @Test
  void textThatIsNoJsonScalarStaysText() throws KindsRefused {
    Kind kind = read("kinds: {k: {command: [no, 010, 1:30, yes, ~x]}}").get("k");

    assertThat(kind.definition().path("command").toString())
        .isEqualTo("[\"no\",\"010\",\"1:30\",\"yes\",\"~x\"]");
  }

  @Test
  void aKindDeclaresThePoolThatRunsIt() throws KindsRefused {
    Map<String, Kind> kinds =
        read(
            """
            kinds:
              flower:
                pool:
                  command: [python3, /opt/iris.py]
                  min: 1
                  max: 4
                  idleTimeout: 5m
                  gpus: 1
                  gpuMemory: 2GiB
                params: {size: 1}
              leaf:
                workers: flower
                priority: 5
            """);

    Kind flower = kinds.get("flower");
    assertThat(flower.pool())
        .contains(
            new WorkerPool(
                "flower",
                "flower",
                List.of("python3", "/opt/iris.py"),
                Map.of(),
                null,
                1,
                4,
                2,
                12,
                300_000,
                10_000,
                10_000,
                true,
                1,
                2L << 30,
                0,
                null));
    assertThat(flower.definition().has("pool")).isFalse();
    assertThat(flower.definition().path("workers").asText()).isEqualTo("flower");
    assertThat(kinds.get("leaf").pool()).isEmpty();
  }

  @Test
  void whatAPoolLeavesOutHasTheDefaultsOfAHostsOwn() throws KindsRefused {
    WorkerPool pool = read("kinds: {k: {pool: {command: [x]}}}").get("k").pool().orElseThrow();

    assertThat(pool)
        .isEqualTo(
            new WorkerPool(
                "k",
                "k",
                List.of("x"),
                Map.of(),
                null,
                0,
                1,
                2,
                3,
                60_000,
                10_000,
                10_000,
                true,
                0,
                null,
                0,
                null));
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
            "kinds:\n  a:\n    command: [x]\n    fixed: 1\n",
            4,
            "kinds.a.fixed: 1, expected true or"),
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
        arguments("kinds:\n  a:\n    pool: 5\n", 3, "kinds.a.pool: 5, expected an object"),
        arguments("kinds:\n  a:\n    pool: {max: 2}\n", 3, "kinds.a.pool.command: missing"),
        arguments(
            "kinds:\n  a:\n    pool:\n      command: [x]\n      max: -1\n",
            5,
            "kinds.a.pool.max: -1, expected an integer from 0"),
        arguments(
            "kinds:\n  a:\n    pool:\n      command: [x]\n      max: 100000\n      queue: 100000\n",
            6,
            "kinds.a.pool.queue: 100000, expected an integer from 0 to 21473"),
        arguments(
            "kinds:\n  a:\n    pool:\n      command: [x]\n      min: 2\n",
            5,
            "kinds.a.pool.min: 2, expected 0 to max, which is 1"),
        arguments(
            "kinds:\n  a:\n    pool:\n      command: [x]\n      workers: 2\n",
            5,
            "kinds.a.pool.workers: an unknown field"),
        arguments(
            "kinds:\n  a:\n    pool:\n      command: [x]\n      idleTimeout: soon\n",
            5,
            "kinds.a.pool.idleTimeout: \"soon\""),
        arguments(
            "kinds:\n  a:\n    pool:\n      command: [x]\n      gpus: 2\n",
            5,
            "kinds.a.pool.gpus: 2, expected an integer from 0 to 1"),
        arguments(
            "kinds:\n  a:\n    pool:\n      command: [x]\n      gpuMemory: 4GiB\n",
            5,
            "kinds.a.pool.gpuMemory: \"4GiB\", expected gpus: 1 beside it"),
        arguments(
            "kinds:\n  a:\n    pool:\n      command:\n        - x\n        - ${params.y}\n",
            6,
            "kinds.a.pool.command[1]: ${params.y}, expected no ${params.…}"),
        arguments(
            "kinds:\n  a:\n    pool:\n      command: [x]\n      workdir: here\n",
            5,
            "kinds.a.pool.workdir: here, expected a folder from / on"),
        arguments(
            "kinds:\n  a:\n    command: [x]\n    pool: {command: [y]}\n",
            3,
            "the workers of a pool bring their own"),
        arguments(
            "kinds:\n  a:\n    workers: not/one\n    pool: {command: [y]}\n",
            3,
            "kinds.a.workers: \"not/one\", expected the name of a pool"),
        arguments(
            "kinds:\n  a.b:\n    pool: {command: [y]}\n",
            2,
            "kinds.a.b.workers: \"a.b\", expected the name of a pool"),
        arguments(
            "kinds:\n  a:\n    pool: {command: [x]}\n  b:\n    workers: a\n    pool: {command: [x]}\n",
            6,
            "kinds.b.pool: declares pool a again, which kind a does; expected workers: a alone"),
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
    return new KindsReader(KindsReaderTest::admission).read(YamlText.read(text));
  }

  private static Optional<RequestRefused> admission(JobRequest request) {
    return request.queue().equals("default")
        ? Optional.empty()
        : Optional.of(new RequestRefused(request.id(), "queue", request.queue(), "default"));
  }
}
