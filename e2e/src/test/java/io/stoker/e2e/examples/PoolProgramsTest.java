package io.stoker.e2e.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The workers of the pool's example, told what to do as an agent tells them. */
@BesideTheSharedStack
class PoolProgramsTest {
  private static final Path POOL = Checkout.examples().resolve("pool");

  @TempDir Path folder;

  @Test
  void pythonTellsIrisesApart() throws Exception {
    Program.Ended ended =
        told(
            python(POOL.resolve("iris_worker.py")),
            job(1, "{\"flower\":[5.1,3.5,1.4,0.2]}")
                + job(2, "{\"flower\":[6.7,3.1,5.6,2.4]}")
                + job(3, "{\"flower\":[6.7]}")
                + job(4, "{\"flower\":[6.0,2.9,4.5,1.5]}")
                + "{\"v\":1,\"do\":\"stop\"}\n"
                + job(5, "{}"));

    assertThat(ended.exitCode()).as(ended.err()).isZero();
    List<JsonNode> said = said(ended);
    assertThat(said.getFirst().path("is").asText()).isEqualTo("ready");
    assertThat(said).as("after stop nothing is done").hasSize(5);
    assertThat(said.get(1).at("/result/species").asText()).isEqualTo("setosa");
    assertThat(said.get(2).at("/result/species").asText()).isEqualTo("virginica");
    assertThat(said.get(3).path("is").asText()).isEqualTo("error");
    assertThat(said.get(3).path("message").asText()).startsWith("ValueError: params.flower");
    assertThat(said.get(4).path("n").asInt()).isEqualTo(4);
  }

  @Test
  void javaTellsIrisesApart() throws Exception {
    Program.Ended ended =
        told(
            Program.java(folder, POOL.resolve("Worker.java")),
            job(1, "{\"petal\":[1.4,0.2]}") + job(2, "{}") + "{\"v\":1,\"do\":\"stop\"}\n");

    assertThat(ended.exitCode()).as(ended.err()).isZero();
    List<JsonNode> said = said(ended);
    assertThat(said.get(1).at("/result/species").asText()).isEqualTo("setosa");
    assertThat(said.get(2).path("is").asText()).isEqualTo("error");
  }

  @ParameterizedTest
  @CsvSource({
    "return None, done",
    "raise MemoryError(), oom",
    "raise RuntimeError('CUDA out of memory. Tried'), oom",
    "raise KeyError('x'), error",
    "return object(), error",
    "return float('nan'), error",
  })
  void pythonSaysHowAJobEnded(String body, String what) throws Exception {
    Path program =
        Files.writeString(
            folder.resolve("worker.py"),
            """
            import sys
            sys.path.insert(0, %s)
            import stoker_worker

            class Worker:
                def work(self, params):
                    print("a line of the log")
                    stoker_worker.progress(0.5)
                    %s

            stoker_worker.run(Worker())
            """
                .formatted(Json.text(POOL.toString()), body));
    Program.Ended ended = told(python(program), job(1, "{}") + job(2, "{}"));

    List<JsonNode> said = said(ended);
    assertThat(said).hasSize(5);
    assertThat(said.get(1).path("is").asText()).isEqualTo("progress");
    assertThat(said.get(2).path("is").asText()).isEqualTo(what);
    assertThat(said.get(2).has("result")).isFalse();
    assertThat(said.get(4).path("n").asInt()).isEqualTo(2);
    assertThat(ended.err()).contains("a line of the log");
  }

  @Test
  void pythonSaysWhatItBeginsAndGivesBackWhatItHasNotBegun() throws Exception {
    Program.Ended ended =
        told(
            python(POOL.resolve("iris_worker.py")),
            job(1, "{\"flower\":[5.1,3.5,1.4,0.2]}")
                + job(2, "{\"flower\":[6.7,3.1,5.6,2.4]}")
                + job(3, "{\"flower\":[6.0,2.9,4.5,1.5]}")
                + "{\"v\":1,\"n\":2,\"do\":\"withdraw\"}\n"
                + "{\"v\":1,\"n\":9,\"do\":\"withdraw\"}\n"
                + "{\"v\":1,\"n\":1,\"do\":\"later\"}\n"
                + "{\"v\":1,\"do\":\"stop\"}\n");

    assertThat(ended.exitCode()).as(ended.err()).isZero();
    List<JsonNode> said = all(ended);
    assertThat(said.getFirst().path("ahead").asInt()).isBetween(2, 8);
    assertThat(said.stream().skip(1).map(PoolProgramsTest::brief))
        .containsExactly("2 withdrawn", "1 started", "1 done, starts 3", "3 done");
  }

  private static String brief(JsonNode said) {
    String next = said.has("started") ? ", starts " + said.get("started") : "";
    return said.path("n") + " " + said.path("is").asText() + next;
  }

  private static String job(int n, String params) {
    return "{\"v\":1,\"n\":%d,\"do\":\"job\",\"params\":%s}\n".formatted(n, params);
  }

  /** But for lines that say only that a job has begun. */
  private static List<JsonNode> said(Program.Ended ended) throws Exception {
    return all(ended).stream().filter(line -> !line.path("is").asText().equals("started")).toList();
  }

  private static List<JsonNode> all(Program.Ended ended) throws Exception {
    List<JsonNode> said = new java.util.ArrayList<>();
    for (String line : ended.lines("#stoker:worker")) {
      said.add(Json.read(line));
    }
    return said;
  }

  private Program.Ended told(Program program, String lines) throws Exception {
    Path input = Files.writeString(folder.resolve("lines"), lines);
    return program.with("STOKER_WORKERS", "1").with("STOKER_SEED", "7").reading(input).run();
  }

  private Program python(Path program) throws IOException {
    assumeTrue(Program.exists("python3", "--version"), "no python3 here");
    return Program.of(folder, "python3", program.toString());
  }
}
