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

/** The staged examples, told what to do as an agent tells them. */
@BesideTheSharedStack
class StagedProgramsTest {
  private static final Path STAGED = Checkout.examples().resolve("staged");
  private static final String LOAD = "{\"v\":1,\"n\":1,\"do\":\"load\"}\n";
  private static final String TRAIN = "{\"v\":1,\"n\":2,\"do\":\"train\",\"device\":\"cuda:1\"}\n";

  @TempDir Path folder;

  @Test
  void javaLoadsAndTrains() throws Exception {
    check(Program.java(folder, STAGED.resolve("Staged.java")));
  }

  @Test
  void pythonLoadsAndTrains() throws Exception {
    check(python("digits.py"));
  }

  private void check(Program program) throws Exception {
    Program.Ended ended = told(program, LOAD + LOAD + TRAIN);

    assertThat(ended.exitCode()).as(ended.err()).isZero();
    List<String> answers = ended.lines("#stoker:stage");
    assertThat(answers).as("the same command again is left out").hasSize(2);
    assertThat(Json.read(answers.get(0)).path("n").asInt()).isEqualTo(1);
    JsonNode last = Json.read(answers.get(1));
    assertThat(last.path("v").asInt()).isEqualTo(1);
    assertThat(last.path("n").asInt()).isEqualTo(2);
    assertThat(last.path("is").asText()).isEqualTo("done");
    assertThat(Json.read(ended.lines("#stoker:result").getLast()).path("device").asText())
        .isEqualTo("cuda:1");
  }

  @Test
  void pythonRunsWithoutStoker() throws Exception {
    Program.Ended ended = python("digits.py").run();

    assertThat(ended.exitCode()).as(ended.err()).isZero();
    assertThat(ended.lines("#stoker:progress")).hasSize(20);
    assertThat(Json.read(ended.lines("#stoker:result").getLast()).path("slope").asDouble())
        .isBetween(2.9, 3.1);
  }

  @ParameterizedTest
  @CsvSource({
    "MemoryError(), oom",
    "stoker_job.OutOfMemory('x'), oom",
    "RuntimeError('CUDA out of memory. Tried'), oom",
    "RuntimeError('shape mismatch'), exception",
    "KeyError('out of memory'), exception",
  })
  void pythonTellsOutOfMemoryFromOtherExceptions(String error, String what) throws Exception {
    Path program =
        Files.writeString(
            folder.resolve("job.py"),
            """
            import sys
            sys.path.insert(0, %s)
            import stoker_job

            class Job:
                def load(self):
                    raise %s

            stoker_job.run(Job())
            """
                .formatted(Json.text(STAGED.toString()), error));
    assumeTrue(Program.exists("python3", "--version"), "no python3 here");
    Program.Ended ended = told(Program.of(folder, "python3", program.toString()), LOAD);

    JsonNode answer = Json.read(ended.lines("#stoker:stage").getFirst());
    assertThat(answer.path("is").asText()).isEqualTo(what);
    assertThat(answer.path("message").asText()).matches(".*(Error|OutOfMemory).*");
    assertThat(ended.exitCode()).isEqualTo(what.equals("oom") ? 0 : 1);
  }

  private Program.Ended told(Program program, String commands) throws Exception {
    Path input = Files.writeString(folder.resolve("commands"), commands);
    return program.with("STOKER_STAGES", "1").reading(input).run();
  }

  private Program python(String name) throws IOException {
    assumeTrue(Program.exists("python3", "--version"), "no python3 here");
    return Program.of(folder, "python3", STAGED.resolve(name).toString());
  }
}
