package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stack beside the shared one, of one dispatcher and one host, until it is gone. Any order does;
 * this one needs a single start.
 */
@ExtendWith(SharedStack.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(900)
class SecondStackTest {
  @TempDir static Path folder;

  private static StokerStack second;

  private final StokerStack first;

  SecondStackTest(StokerStack first) {
    this.first = first;
  }

  @BeforeEach
  void start() throws Exception {
    if (second == null) {
      second =
          StokerStack.start(
              "second", StackOptions.DEFAULT.withAgentEnvironment(StokerStack.WITHOUT_GPUS));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    if (second != null) {
      second.close();
    }
  }

  @Test
  @Order(1)
  void twoStacksKnowNothingOfEachOther() throws Exception {
    first.post(Posted.script("either", "echo '#stoker:result \"first\"'"));
    second.post(Posted.script("either", "echo '#stoker:result \"second\"'"));

    assertThat(first.statuses().awaitEnd("either").result()).isEqualTo(Json.read("\"first\""));
    assertThat(second.statuses().awaitEnd("either").result()).isEqualTo(Json.read("\"second\""));
    assertThat(first.deadLetters().all()).noneMatch(letter -> "either".equals(letter.key()));
    assertThat(second.deadLetters().all()).isEmpty();
  }

  @Test
  @Order(2)
  void aDispatcherThatStartsAgainInAnEmptyReadOnlyFolderHasLostNothing() throws Exception {
    Gate gate = Gate.in(folder, "dispatcher-gate");
    second.post(
        Posted.script("held", gate.await() + "echo '#stoker:result 1'"),
        Posted.script("follows", "exit 0 # follows").dependingOn("held", "comes-later"));
    second.statuses().await("held", RequestState.RUNNING);
    second.statuses().await("follows", RequestState.WAITING);
    Child dispatcher = second.processes().child("dispatcher-1");

    dispatcher.stop();
    Path work = dispatcher.spec().workFolder();
    assertThat(work).as("a dispatcher keeps nothing on disk").isEmptyDirectory();
    Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("r-xr-xr-x"));
    second.post(Posted.script("comes-later", "exit 0 # comes-later"));
    gate.open();
    dispatcher.start();
    second.processes().awaitServing(dispatcher, StatusLog.PATIENCE);

    assertThat(second.statuses().awaitEnd("held").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(second.statuses().awaitEnd("comes-later").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(second.statuses().awaitEnd("follows").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(second.statuses().awaitEnd("held").attempt()).isEqualTo(1);
    assertThat(work).isEmptyDirectory();
  }

  @Test
  @Order(3)
  void nothingIsWrittenOutsideItsFolder() throws Exception {
    List<String> outside = new ArrayList<>();
    for (ProcessHandle process : Traces.processesNaming(second.data().root())) {
      outside.addAll(Traces.writableFilesOutside(process, second.data().root()));
    }

    assertThat(outside).isEmpty();
  }

  @Test
  @Order(4)
  void onceStoppedNothingOfItIsLeft() throws Exception {
    Path pidFile = folder.resolve("daemon");
    second.post(
        Posted.script(
            "leaves-a-daemon",
            "setsid sh -c 'trap \"\" TERM; echo $$ > %s; sleep 1000' & wait".formatted(pidFile)));
    await("the daemon to run")
        .atMost(StatusLog.PATIENCE)
        .until(() -> Files.exists(pidFile) && Files.readString(pidFile).endsWith("\n"));
    long daemon = Long.parseLong(Files.readString(pidFile).strip());
    assertThat(ProcessHandle.of(daemon)).isPresent();
    Path data = second.data().root();
    List<Integer> ports =
        Stream.of("kafka", "kafka-controller", "postgres", "redis", "dispatcher-1")
            .map(name -> second.processes().port(name))
            .toList();
    assertThat(ports).allMatch(Traces::isOpen);

    second.close();
    second = null;

    assertThat(Traces.processesNaming(data)).isEmpty();
    assertThat(ProcessHandle.of(daemon).filter(Traces::lives)).isEmpty();
    assertThat(ports).noneMatch(Traces::isOpen);
    assertThat(data).doesNotExist();
    first.post(Posted.script("serves-on", "exit 0 # serves-on"));
    assertThat(first.statuses().awaitEnd("serves-on").state()).isEqualTo(RequestState.SUCCEEDED);
  }
}
