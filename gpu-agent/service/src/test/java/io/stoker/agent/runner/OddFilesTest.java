package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job puts something else where the agent reads, or deletes. */
class OddFilesTest {
  @TempDir Path data;
  @TempDir Path outside;
  private RunnerFixture fixture;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(outside.resolve("secret.json"), "{\"x\": \"theirs\"}");
    fixture = new RunnerFixture(data);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "ln -s OUTSIDE/secret.json $STOKER_RESULT, the result file is a link",
        "mkdir $STOKER_RESULT, the result file is a link or no file",
        "mkfifo $STOKER_RESULT, -",
        "ln -s /dev/zero $STOKER_RESULT, -",
        "ln -s /proc/self/environ $STOKER_RESULT, -",
        "head -c 300000 /dev/zero >$STOKER_RESULT, the result file is larger than 262144 bytes",
        "truncate -s 100G $STOKER_RESULT, the result file is larger than 262144 bytes",
      })
  void end_withAResultThatIsNoPlainFile_readsNothingOfIt(String script, String problem)
      throws Exception {
    fixture.sh("a", script.replace("OUTSIDE", outside.toString()));
    RunEnd end = fixture.next(Input.Exited.class).end();

    assertThat(end.result()).isEmpty();
    assertThat(end.resultProblem().map(why -> why.replace(",", "")).orElse(null))
        .satisfies(
            why -> {
              if (problem == null) {
                assertThat(why).isNull();
              } else {
                assertThat(why).startsWith(problem);
              }
            });
  }

  @Test
  void look_atAnOutputThatIsALink_readsNothingOfIt() throws Exception {
    fixture.sh(
        "a", "rm ../stdout; ln -s %s/secret.json ../stdout; echo after >&2".formatted(outside));
    fixture.next(Input.Exited.class);

    assertThat(fixture.output()).contains("after").doesNotContain("theirs");
  }

  @Test
  void remove_ofARunWithLinksAndDeepFolders_leavesWhatTheyLeadTo() throws Exception {
    AttemptKey key =
        fixture.sh(
            "a",
            "ln -s %1$s there; mkdir -p d/e/f; ln -s %1$s d/e/there; touch d/e/f/g; ln -s %1$s ../up; "
                    .formatted(outside)
                + "mkdir \"n n$(printf '\\n')x\"; touch -- -rf; chmod 0 d/e/f/g");
    fixture.next(Input.Exited.class);

    fixture.runner.remove(key);
    fixture.sh("b", "true");
    fixture.next(Input.Exited.class);

    assertThat(data.resolve("runs/a-1")).doesNotExist();
    assertThat(outside.resolve("secret.json")).exists();
  }

  @Test
  void empty_withALinkInPlaceOfAFolder_deletesTheLink() throws Exception {
    Path folder = Files.createDirectories(data.resolve("work/a"));
    Files.createSymbolicLink(folder.resolve("b"), outside);
    Files.createDirectories(folder.resolve("c/d"));

    assertThat(JobsFolder.empty(data.resolve("work"))).isTrue();

    assertThat(data.resolve("work")).isEmptyDirectory();
    assertThat(outside.resolve("secret.json")).exists();
  }
}
