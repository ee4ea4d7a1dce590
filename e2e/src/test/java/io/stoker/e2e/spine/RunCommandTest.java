package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code stoker run} as somebody at a shell has it. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class RunCommandTest {
  @TempDir Path folder;

  private final StokerStack stack;

  RunCommandTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void itPrintsWhatTheJobPrintsAndEndsWithItsExitCode() throws Exception {
    CommandLine stoker = new CommandLine(folder, stack);

    int exitCode = ended(stoker.start("run", "--", "sh", "-c", "echo hi; echo oh >&2; exit 7"));

    assertThat(Files.readString(stoker.out())).isEqualTo("hi\n");
    assertThat(Files.readString(stoker.err())).contains("oh\n");
    assertThat(exitCode).isEqualTo(7);
  }

  @Test
  void itRunsInTheFolderThatItIsCalledInAndSucceeds() throws Exception {
    CommandLine stoker = new CommandLine(folder, stack);

    int exitCode = ended(stoker.start("run", "--", "pwd", "-P"));

    assertThat(Files.readString(stoker.out())).isEqualTo(folder.toRealPath() + "\n");
    assertThat(exitCode).isZero();
  }

  @Test
  void whatCannotBeStartedEndsWithoutAnExitCode() throws Exception {
    CommandLine stoker = new CommandLine(folder, stack);

    int exitCode = ended(stoker.start("run", "--", "/no/such/program"));

    assertThat(Files.readString(stoker.err())).contains("/no/such/program");
    assertThat(exitCode).isEqualTo(125);
  }

  @Test
  void ctrlCCancelsTheJobWithItsWholeTree() throws Exception {
    // One child in the job's session, one in another that does not mind SIGTERM, and its own child.
    String child = "echo $$ > child; exec sleep 1000";
    String stubborn =
        "trap '' TERM; echo $$ > stubborn; sh -c 'echo $$ > grandchild; exec sleep 1000'; exit";
    Files.writeString(folder.resolve("child.sh"), child);
    Files.writeString(folder.resolve("stubborn.sh"), stubborn);
    // It has written before its pid is there, by which it is known to run.
    String script = "sh child.sh & setsid sh stubborn.sh & echo started; echo $$ > job; wait";
    List<String> names = List.of("job", "child", "stubborn", "grandchild");
    CommandLine stoker = new CommandLine(folder, stack);
    Process run = stoker.start("run", "--", "sh", "-c", script);
    await("the whole tree to run").atMost(StatusLog.PATIENCE).until(() -> pids(names).size() == 4);
    List<ProcessHandle> tree = pids(names);

    interrupt(run);
    int exitCode = ended(run);

    assertThat(exitCode).isEqualTo(130);
    // The job is over only when nothing of it is left.
    assertThat(tree).noneMatch(Traces::lives);
    assertThat(Files.readString(stoker.out())).isEqualTo("started\n");
    RequestStatus end = lastOf(idIn(Files.readString(stoker.err())));
    assertThat(end.state()).isEqualTo(RequestState.CANCELLED);
    assertThat(stack.database().column("select job from attempt where job = ?", end.job()))
        .isEmpty();
  }

  private RequestStatus lastOf(String id) {
    return stack.statuses().awaitEnd(id);
  }

  /** The command names its request when it says that it cancels it. */
  private static String idIn(String said) {
    return said.replaceFirst("(?s).*cancelling (run-[0-9a-f-]+);.*", "$1");
  }

  private List<ProcessHandle> pids(List<String> names) throws IOException {
    List<ProcessHandle> pids = new ArrayList<>();
    for (String name : names) {
      Path file = folder.resolve(name);
      String text = Files.exists(file) ? Files.readString(file) : "";
      if (text.endsWith("\n")) {
        Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(text.strip()));
        process.ifPresent(pids::add);
      }
    }
    return pids;
  }

  private static void interrupt(Process process) throws Exception {
    Process kill = new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  private static int ended(Process process) throws InterruptedException {
    try {
      assertThat(process.waitFor(StatusLog.PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("the command ends within " + StatusLog.PATIENCE)
          .isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
