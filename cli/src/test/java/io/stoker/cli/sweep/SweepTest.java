package io.stoker.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.input.DocumentFile;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.sweep.Sweep.Trial;
import io.stoker.common.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepTest {
  private static final String BASE =
      """
      request:
        command: [train, --lr, "${params.lr}", "x-${params.deep}"]
        params: {folds: 5, lr: 1}
        env: {DEEP: "${params.deep}"}
      """;

  @Test
  void everyCombinationIsARequestOfItsOwn() throws Exception {
    Sweep sweep =
        sweep(
            BASE
                + """
                grid:
                  lr: [0.1, 0.01]
                  deep: [1, 2, 3]
                """);

    List<Trial> trials = sweep.requests("lr search (2)");

    assertThat(trials)
        .extracting(Trial::id)
        .containsExactly(
            "lr_search.2-1",
            "lr_search.2-2",
            "lr_search.2-3",
            "lr_search.2-4",
            "lr_search.2-5",
            "lr_search.2-6");
    assertThat(trials.stream().map(trial -> Sweep.shown(trial.configuration())))
        .containsExactly(
            "lr=0.1 deep=1",
            "lr=0.1 deep=2",
            "lr=0.1 deep=3",
            "lr=0.01 deep=1",
            "lr=0.01 deep=2",
            "lr=0.01 deep=3");
    JsonNode fifth = Json.read(trials.get(4).request().body());
    assertThat(fifth.get("command").toString()).isEqualTo("[\"train\",\"--lr\",\"0.01\",\"x-2\"]");
    assertThat(fifth.at("/env/DEEP").asText()).isEqualTo("2");
    assertThat(fifth.get("params")).isEqualTo(Json.read("{\"deep\":2,\"folds\":5,\"lr\":0.01}"));
    assertThat(fifth.get("group").asText()).isEqualTo("lr search (2)");
  }

  @Test
  void idsSortLikeTheRequests() {
    Sweep sweep = sweep("request: {command: [x]}\ngrid: {i: %s}".formatted(numbers(120)));

    assertThat(sweep.requests("s")).extracting(Trial::id).isSorted().contains("s-001", "s-120");
  }

  @Test
  void casesAreCombinedWithTheGridAndRepeatsLeftOut() {
    Sweep sweep =
        sweep(
            """
            request: {command: [x]}
            cases:
              - {method: knn, k: 5}
              - {method: centroid}
              - {method: knn, k: 5}
            grid: {folds: [3, 5]}
            """);

    assertThat(sweep.configurations().stream().map(Sweep::shown))
        .containsExactly(
            "method=knn k=5 folds=3",
            "method=knn k=5 folds=5",
            "method=centroid folds=3",
            "method=centroid folds=5");
  }

  @Test
  void samplesOfAGridAreTheSameForTheSameSeed() {
    String file = "request: {command: [x]}\ngrid: {i: %s}\nsamples: 10\n".formatted(numbers(100));

    assertThat(sweep(file + "seed: 1").configurations())
        .hasSize(10)
        .doesNotHaveDuplicates()
        .isEqualTo(sweep(file + "seed: 1").configurations())
        .isNotEqualTo(sweep(file + "seed: 2").configurations());
  }

  @Test
  void randomValuesStayInTheirRanges() {
    String file =
        """
        request: {command: [x]}
        random:
          lr: {min: 0.0001, max: 1, scale: log}
          deep: {min: 2, max: 4, integer: true}
          method: [a, b]
        samples: 200
        seed: 7
        """;

    Sweep sweep = sweep(file);

    assertThat(sweep.configurations()).hasSize(200).doesNotHaveDuplicates();
    assertThat(sweep.configurations())
        .allSatisfy(
            one -> {
              assertThat(one.get("lr").asDouble()).isBetween(0.0001, 1.0);
              assertThat(one.get("deep").isIntegralNumber()).isTrue();
              assertThat(one.get("deep").asInt()).isBetween(2, 4);
              assertThat(one.get("method").asText()).isIn("a", "b");
            });
    long small =
        sweep.configurations().stream().filter(one -> one.get("lr").asDouble() < 0.01).count();
    assertThat(small).as("half of them, on a log scale").isBetween(70L, 130L);
    assertThat(sweep(file).configurations()).isEqualTo(sweep.configurations());
  }

  @Test
  void thePlanIsWhatTheExperimentIsMadeWith() throws Exception {
    Sweep sweep =
        sweep(
            """
            name: tuned
            objective: min
            parallel: 4
            failure: ignore
            retries: 2
            resultLabels: [worst]
            earlyStopping: {policy: median, warmup: 2}
            after: other
            request: {command: [x]}
            grid: {i: [1]}
            """);

    assertThat(sweep.name()).isEqualTo("tuned");
    assertThat(sweep.plan())
        .isEqualTo(
            Json.read(
                """
                {"experiment":{"objective":"min","parallel":4,"failure":"ignore",
                "resultLabels":["worst"],"earlyStopping":{"policy":"median","warmup":2}},
                "after":"other"}
                """));
    assertThat(Json.read(sweep.requests("t").get(0).request().body()).get("retry").toString())
        .isEqualTo("{\"app\":2}");
    assertThat(sweep.stoppedBy("bandit").plan().at("/experiment/earlyStopping").toString())
        .isEqualTo("{\"policy\":\"bandit\",\"warmup\":2}");
    assertThat(sweep.stoppedBy("none").plan().at("/experiment/earlyStopping").isMissingNode())
        .isTrue();
    assertThat(sweep.parallel(9).plan().at("/experiment/parallel").asInt()).isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{grid: {a: [1]}} | request: missing",
        "{request: {command: [x]}} | grid: nothing to try",
        "{request: {command: [x]}, grids: {a: [1]}} | grids: an unknown field (did you mean grid?),"
            + " expected one of after",
        "{request: {command: [x]}, grid: {a: 1}} | grid.a: 1, expected a list of values",
        "{request: {command: [x]}, grid: {a: []}} | grid.a: [], expected a list of values",
        "{request: {command: [x], id: y}, grid: {a: [1]}} | request.id: \"y\", expected none",
        "{request: {comand: [x]}, grid: {a: [1]}} | request: comand",
        "{request: {command: ['${params.b}']}, grid: {a: [1]}} | request: ${params.b} names no",
        "{request: {command: [x]}, random: {a: [1]}} | samples: missing",
        "{request: {command: [x]}, random: {a: 1}, samples: 2} | random.a: 1, expected a list",
        "{request: {command: [x]}, random: {a: {min: 0, max: 1, scale: log}}, samples: 2} |"
            + " random.a.min: 0",
        "{request: {command: [x]}, random: {a: [1]}, grid: {b: [1]}, samples: 1} | random: beside"
            + " grid",
        "{request: {command: [x]}, grid: {a: [1]}, samples: 0} | samples: 0, expected 1 to",
        "{request: {command: [x]}, grid: {a: [1]}, cases: [{a: 2}]} | grid.a: also in cases",
        "{request: {command: [x]}, grid: {a: [1]}, retries: x} | retries: \"x\", expected a number",
      })
  void whatIsWrongIsNamed(String file, String message) {
    assertThatThrownBy(() -> sweep(file))
        .isInstanceOf(CliException.class)
        .hasMessageContaining(message);
  }

  @Test
  void tooManyAreRefusedBeforeTheyAreMade() {
    String list = numbers(1000);
    assertThatThrownBy(
            () -> sweep("request: {command: [x]}\ngrid: {a: %s, b: %s}".formatted(list, list)))
        .hasMessageContaining("more than 100000 configurations");
  }

  private static String numbers(int count) {
    return IntStream.range(0, count).boxed().toList().toString();
  }

  private static Sweep sweep(String file) {
    return Sweep.of(DocumentFile.parse("test.yaml", file.getBytes(StandardCharsets.UTF_8)), "test");
  }
}
