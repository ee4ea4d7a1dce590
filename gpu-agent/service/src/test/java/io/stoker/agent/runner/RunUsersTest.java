package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.agent.attempt.Input;
import io.stoker.common.fixture.APlace;
import io.stoker.common.json.Json;
import io.stoker.common.message.Workload.Claim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of two queues are two users, of whom neither gets at what is the other's. */
class RunUsersTest {
  private static final String KEY = "stoker.agent.run-as.queues.";

  @TempDir Path data;

  @Test
  void launch_byQueue_isItsUserAndReadsNothingOfTheOthers() throws Exception {
    try (RunnerFixture fixture = twoUsers()) {
      fixture.launch(
          of("a", "ann")
              .env(Map.of("PASS", "anns-own"))
              .params(Json.tree(Map.of("p", "anns-params")))
              .command(
                  "sh",
                  "-c",
                  "umask 0; id -un; echo anns-file >file; echo '\"anns-result\"' >$STOKER_RESULT;"
                      + " echo anns-output; echo $$ >%s/ready; exec sleep 600".formatted(shared()))
              .build());
      long pid = fixture.next(Input.Started.class).process().pid();
      await().until(() -> Files.exists(data.resolve("pub/ready")));
      fixture.launch(
          of("b", "bob")
              .command(
                  "sh",
                  "-c",
                  """
                  id -un
                  cat /proc/%1$d/environ /proc/%2$d/environ /proc/%1$d/mem
                  for one in /proc/[0-9]*; do cat $one/environ; done | tr '\\0' '\\n'
                  cd %3$s/runs/a-1 && echo passed
                  ls %3$s %3$s/runs %3$s/runs/a-1
                  cat %3$s/runs/a-1/work/file %3$s/runs/a-1/result.json %3$s/runs/a-1/params.json
                  cat %3$s/runs/a-1/stdout %3$s/runs/a-1/state %3$s/journal/* %3$s/launcher.err
                  echo y >%3$s/runs/a-1/result.json
                  kill -0 %1$d && echo signalled
                  echo end
                  """
                      .formatted(pid, ProcessHandle.current().pid(), data))
              .build());
      assertThat(fixture.next(Input.Exited.class).key().stem()).isEqualTo("b");
      assertThat(fixture.output())
          .contains("nobody\n", "daemon\n", "end\n", "anns-output")
          .doesNotContain("anns-own", "anns-file", "anns-result", "anns-params", "passed")
          .doesNotContain("signalled", "a-1/:");
      assertThat(fixture.output().split("anns-output", -1)).as("once, its own").hasSize(2);
    }
  }

  @Test
  void launch_withoutAQueue_neverBeginsAsAnybody() throws Exception {
    try (RunnerFixture fixture = twoUsers()) {
      fixture.sh("a", "touch %s/ran".formatted(shared()));
      Input.NotStarted told = fixture.next(Input.NotStarted.class);
      assertThat(told.reason()).contains("stoker.agent.run-as.queues");
    }
  }

  @Test
  void launch_ofAnotherQueue_isTheHostsUser() throws Exception {
    try (RunnerFixture fixture = twoUsers()) {
      fixture.launch(of("a", "others").command("id", "-un").build());
      fixture.next(Input.Exited.class);
      assertThat(fixture.output()).isEqualTo("bin\n");
    }
  }

  @Test
  void launch_ofASender_isTheirUserInWhateverQueue() throws Exception {
    try (RunnerFixture fixture = twoUsers()) {
      fixture.launch(of("a", "ann", "cal").command("id", "-un").build());
      fixture.next(Input.Exited.class);
      fixture.launch(of("b", "ann", "nobody").command("id", "-un").build());
      fixture.next(Input.Exited.class);
      assertThat(fixture.output()).isEqualTo("games\nnobody\n");
    }
  }

  private static APlace of(String job, String queue) {
    return of(job, queue, null);
  }

  private static APlace of(String job, String queue, String sentBy) {
    return RunnerFixture.of(job)
        .claim(
            new Claim(
                Optional.empty(),
                Optional.of(queue),
                Optional.ofNullable(sentBy),
                Map.of(),
                false));
  }

  /** A folder of everybody's. */
  private Path shared() throws IOException {
    Path folder = Files.createDirectories(data.resolve("pub"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    return folder;
  }

  private RunnerFixture twoUsers() throws IOException {
    int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    assumeTrue(uid == 0, "only root can start jobs as another user");
    for (String name : new String[] {"nobody", "daemon", "bin", "games"}) {
      assumeTrue(Account.find(name).isPresent(), "this machine has no user " + name);
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    RunnerFixture fixture = RunnerFixture.unstarted(data);
    fixture.confinement =
        new Confinement(
            new RunUsers(
                RunAs.user("bin", "stoker.agent.run-as"),
                Map.of(
                    "ann", RunAs.user("nobody", KEY + "ann"),
                    "bob", RunAs.user("daemon", KEY + "bob")),
                Map.of("cal", RunAs.user("games", "stoker.agent.run-as.senders.cal"))),
            Isolation.NONE);
    fixture.startRunner();
    return fixture;
  }
}
