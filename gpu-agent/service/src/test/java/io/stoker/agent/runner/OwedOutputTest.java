package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Gang;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What jobs have written outlives the agents that were to send it. */
@Timeout(300)
class OwedOutputTest {
  private static final String WRITES = "echo one; echo two >&2; echo three";

  @TempDir Path data;
  private RunnerFixture host;

  @BeforeEach
  void start() throws IOException {
    host = new RunnerFixture(data);
  }

  @AfterEach
  void stop() {
    host.close();
  }

  /** One agent dies, with what it has not got rid of, and the next one starts. */
  private void die() throws IOException {
    host.runner.close();
    host.untaken.clear();
    host.startRunner();
  }

  private AttemptKey ended(String script) throws InterruptedException {
    AttemptKey key = host.sh("job", script);
    host.next(Input.Exited.class);
    return key;
  }

  private Path folder() {
    return data.resolve("runs/job-1");
  }

  private static List<String> texts(List<LogChunk> chunks) {
    return chunks.stream().map(chunk -> chunk.n() + " " + chunk.stream() + chunk.text()).toList();
  }

  @Test
  void theNextAgentSendsWhatAnEndedRunWroteAndTheBrokerMayNotHave() throws Exception {
    host.brokerAway = true;
    AttemptKey key = ended(WRITES + "; echo '#stoker:result 7'");
    List<LogChunk> first = List.copyOf(host.logs);
    assertThat(host.output()).contains("one", "two", "three");
    die();
    host.logs.clear();
    host.runner.retell(key, "request-job");
    assertThat(host.next(Input.Result.class).result().intValue()).isEqualTo(7);
    assertThat(host.next(Input.Retold.class).key()).isEqualTo(key);
    assertThat(texts(host.logs)).isEqualTo(texts(first));
    assertThat(host.logs).last().matches(LogChunk::last);
    assertThat(host.logs).allMatch(chunk -> chunk.request().equals("request-job"));
  }

  @Test
  void whatAMemberOfAGangWroteSaysSoWhoeverSendsIt() throws Exception {
    host.brokerAway = true;
    AttemptKey key =
        host.launch(host.place("job", "sh", "-c", WRITES).in(new Gang(1, 2, "node-b:4000")));
    host.next(Input.Exited.class);
    assertThat(host.logs).isNotEmpty().allMatch(OwedOutputTest::ofRank1);
    die();
    host.logs.clear();
    host.runner.retell(key, "request-job");
    host.next(Input.Retold.class);
    assertThat(host.logs).isNotEmpty().allMatch(OwedOutputTest::ofRank1);
  }

  private static boolean ofRank1(LogChunk chunk) {
    return chunk.ofGang() && chunk.rank() == 1 && chunk.host().equals(RunnerFixture.HOST);
  }

  @Test
  void whatAJobOnOneHostWroteHasNoRank() throws Exception {
    ended(WRITES);
    assertThat(host.logs).isNotEmpty().noneMatch(LogChunk::ofGang);
    assertThat(host.logs).extracting(LogChunk::host).containsOnly(RunnerFixture.HOST);
  }

  @Test
  void ofARunThatLeftNothingIsToldThatThereIsNothing() throws Exception {
    AttemptKey key = new AttemptKey("none", 1);
    host.runner.retell(key, "request");
    assertThat(host.next(Input.Retold.class).key()).isEqualTo(key);
    assertThat(host.logs).isEmpty();
  }

  @Test
  void aFolderStaysUntilTheBrokerHasWhatWasWritten() throws Exception {
    host.brokerAway = true;
    AttemptKey key = ended(WRITES);
    host.runner.remove(key);
    await().until(() -> Files.exists(folder().resolve("owed")));
    assertThat(folder().resolve("stdout")).exists();
    host.brokerComesBack();
    await().until(() -> Files.notExists(folder()));
  }

  @Test
  void theNextAgentSendsWhatIsOwedOfARunThatNobodyElseKnows() throws Exception {
    host.brokerAway = true;
    AttemptKey key = ended(WRITES);
    List<LogChunk> first = List.copyOf(host.logs);
    host.runner.remove(key);
    await().until(() -> Files.exists(folder().resolve("owed")));
    die();
    host.logs.clear();
    host.runner.killStrangers(Set.of(), Set.of());
    await().until(() -> host.logs.size() == first.size());
    assertThat(texts(host.logs)).isEqualTo(texts(first));
    assertThat(folder()).exists();
    host.brokerComesBack();
    await().until(() -> Files.notExists(folder()));
  }

  @Test
  void lineEndsAreTheSameForWhoeverReadsThem() throws Exception {
    Path end = data.resolve("end");
    AttemptKey key =
        host.sh(
            "job",
            "echo plain; echo '#stoker:result 1'; echo '#stoker:progress 0.5';"
                + " while [ ! -e %s ]; do sleep 0.05; done; echo '#stoker:result 2'"
                    .formatted(end));
    Input.Result first = host.next(Input.Result.class);
    Input.Progress half = host.next(Input.Progress.class);
    assertThat(first.until()).isEqualTo("plain\n#stoker:result 1\n".length());
    die();
    host.runner.adopt(
        host.place("job", "sh", "-c", "the earlier agent knows"), Optional.empty(), 1);
    assertThat(host.next(Input.Result.class)).isEqualTo(first);
    assertThat(host.next(Input.Progress.class)).isEqualTo(half);
    Files.createFile(end);
    Input.Result second = host.next(Input.Result.class);
    assertThat(second.until()).isEqualTo(half.until() + "#stoker:result 2\n".length());
    assertThat(host.next(Input.Exited.class).key()).isEqualTo(key);
  }
}
