package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.device.CpuSet;
import io.stoker.agent.spawn.Order;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunAsTest {
  private static final String OTHER = "nobody";
  private static final String KEY = "stoker.agent.run-as";
  private static final Account ACCOUNT = new Account("ml", 1001, 1002, "/home/ml", "");
  private static final Optional<Path> TOOL = Optional.of(Path.of("/usr/bin/setpriv"));
  private static final Order ORDER =
      new Order(
          "j-1", "/bin/echo", "/w", false, List.of("echo", "hi"), List.of("A=b"), CpuSet.NONE);

  @TempDir Path data;

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "'ml:x:1001:1002:A,B:/home/ml:/bin/bash', ml, 1001, 1002, /home/ml, /bin/bash",
        "nobody:x:4294967294:65534::/:, nobody, -2, 65534, /, ''",
        "ml:x:1001:1002:/home/ml:/bin/bash, -, 0, 0, -, -",
        "ml:x:-:1002::/home/ml:/bin/bash, -, 0, 0, -, -",
        "'', -, 0, 0, -, -",
      })
  void readsLinesOfPasswd(String line, String name, int uid, int gid, String home, String shell) {
    assertThat(Account.parse(line))
        .isEqualTo(Optional.ofNullable(name).map(some -> new Account(some, uid, gid, home, shell)));
  }

  @Test
  void whatCannotBeIsRefusedByItsKeyAndSaysWhy() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunAs.of("ml", KEY, 0, Optional.empty(), TOOL, true))
        .withMessage("stoker.agent.run-as is 'ml': this machine has no such user");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunAs.of("ml", KEY, 500, Optional.of(ACCOUNT), TOOL, true))
        .withMessageContaining("the agent has the uid 500, and only root can");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunAs.of("ml", KEY, 0, Optional.of(ACCOUNT), Optional.empty(), true))
        .withMessageContaining("no setpriv on the path");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunAs.user("no-such-user-here", KEY))
        .withMessageContaining("no such user");
    assertThatIllegalArgumentException()
        .as("a number is no name")
        .isThrownBy(() -> RunAs.user("0", KEY))
        .withMessageContaining("no such user");
  }

  @Test
  void theAgentsOwnUserNeedsNothing() {
    RunAs self = RunAs.of("ml", KEY, 1001, Optional.of(ACCOUNT), Optional.empty(), true);

    assertThat(self.order(ORDER, false)).isEqualTo(ORDER);
    assertThat(self.environment(Map.of("HOME", "/x"))).isEqualTo(Map.of("HOME", "/x"));
  }

  @Test
  void theOrderGoesThroughSetprivWithTheProgramAndItsArguments() {
    RunAs other = RunAs.of("ml", KEY, 0, Optional.of(ACCOUNT), TOOL, true);

    assertThat(other.order(ORDER, false))
        .isEqualTo(
            new Order(
                "j-1",
                "/usr/bin/setpriv",
                "/w",
                false,
                List.of(
                    "setpriv",
                    "--reuid=1001",
                    "--regid=1002",
                    "--init-groups",
                    "--bounding-set=-all",
                    "--inh-caps=-all",
                    "--",
                    "/bin/echo",
                    "hi"),
                List.of("A=b"),
                CpuSet.NONE));
    assertThat(other.environment(Map.of("HOME", "/root", "PATH", "/bin")))
        .isEqualTo(
            Map.of(
                "HOME",
                "/home/ml",
                "PATH",
                "/bin",
                "USER",
                "ml",
                "LOGNAME",
                "ml",
                "SHELL",
                "/bin/sh"));
  }

  @Test
  void aJobIsTheOtherUserWithItsGroupsAndWritesWhereItMay() throws Exception {
    Account nobody = switchable();
    try (RunnerFixture fixture = new RunnerFixture(data, false, RunAs.user(OTHER, KEY))) {
      AttemptKey key =
          fixture.sh(
              "a",
              "id -un; id -u; id -g; id -G; echo $HOME $USER; "
                  + "echo mine > file && stat -c %U file; echo '{\"x\":1}' > $STOKER_RESULT; "
                  + "touch ../state 2>&1 || echo kept; touch ../new 2>/dev/null || echo out; exit 3");
      RunEnd end = fixture.next(Input.Exited.class).end();

      assertThat(fixture.output().lines().toList())
          .containsSubsequence(
              OTHER,
              Integer.toUnsignedString(nobody.uid()),
              Integer.toUnsignedString(nobody.gid()),
              Integer.toUnsignedString(nobody.gid()),
              nobody.home() + " " + OTHER,
              OTHER,
              "kept",
              "out");
      assertThat(end.exitCode()).as("the job's own").hasValue(3);
      assertThat(end.result().orElseThrow().path("x").asInt()).isEqualTo(1);
      assertThat(end.category()).isEmpty();
      fixture.runner.remove(key);
      fixture.sh("b", "ls -A | wc -l");
      fixture.next(Input.Exited.class);
      assertThat(fixture.output()).as("nothing of the other's folder").contains("0\n");
    }
  }

  @Test
  void launch_asAnotherUser_readsNothingOfTheAgentsAndOfOtherJobs() throws Exception {
    switchable();
    Path journal = Files.createDirectories(data.resolve("journal"));
    Files.writeString(journal.resolve("log"), "its-token\n"); // as an earlier build left it
    try (RunnerFixture fixture = new RunnerFixture(data, false, RunAs.user(OTHER, KEY))) {
      Files.writeString(Files.createDirectory(data.resolve("runs/b-1")).resolve("state"), "theirs");
      fixture.sh(
          "a",
          "umask; cat '%1$s/journal/log'; ls '%1$s' '%1$s/runs' '%1$s/runs/a-1'; mv ../stdout ../x; "
                  .formatted(data)
              + "ln -s /etc/passwd ../y; cat $STOKER_PARAMS; echo loud >>/dev/stderr; echo through");
      RunEnd end = fixture.next(Input.Exited.class).end();

      assertThat(end.exitCode()).hasValue(0);
      assertThat(fixture.output())
          .contains("{}", "loud", "through", umask())
          .doesNotContain("its-token", "b-1", "state");
      for (String folder : List.of("", "runs", "runs/a-1")) {
        assertThat(mode(data.resolve(folder))).as(folder).isEqualTo("rwx--x---");
      }
      assertThat(mode(journal)).isEqualTo("rwx------");
      assertThat(mode(data.resolve("runs/a-1/work"))).isEqualTo("rwx------");
    }
  }

  @Test
  void launch_asAnotherUser_hasNoCapabilitiesAndGainsNone() throws Exception {
    switchable();
    assertThat(rights(RunAs.user(OTHER, KEY)))
        .contains("NoNewPrivs: 1", "CapEff: 0", "CapBnd: 0", "CapInh: 0", "CapPrm: 0");
    assertThat(RunAs.user(OTHER, KEY).words())
        .isEqualTo("as nobody, no new privileges, no capabilities");
  }

  @Test
  void launch_whereJobsMayGainPrivileges_leavesThemTheirWays() throws Exception {
    switchable();
    assertThat(rights(RunAs.user(OTHER, KEY).gaining()))
        .contains("NoNewPrivs: 0")
        .isNotEqualTo("CapBnd: 0");
    assertThat(rights(RunAs.SELF)).contains("NoNewPrivs: 1").doesNotContain("CapEff: 0");
    assertThat(rights(RunAs.SELF.gaining())).contains("NoNewPrivs: 0");
  }

  @Test
  void launch_asAnotherUser_withALibraryToPreload_loadsItAsThatUserAlone() throws Exception {
    Account nobody = switchable();
    Path source = data.resolve("evil.c");
    Files.writeString(
        source,
        """
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        __attribute__((constructor)) static void loaded(void) {
          dprintf(2, "loaded as %u\\n", getuid());
        }
        """);
    Path library = data.resolve("evil.so");
    Process compiled =
        new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString())
            .inheritIO()
            .start();
    assertThat(compiled.waitFor()).isZero();
    Files.setPosixFilePermissions(library, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (RunnerFixture fixture = new RunnerFixture(data, false, RunAs.user(OTHER, KEY))) {
      fixture.launch(
          fixture.place(
              "a",
              Map.of("LD_PRELOAD", library.toString(), "BASH_FUNC_x%%", "() { id; }", "A", "= b"),
              "/bin/sh",
              "-c",
              "echo $LD_PRELOAD; env | grep -c BASH_FUNC; echo \"A is $A\""));
      fixture.next(Input.Exited.class);

      assertThat(fixture.output())
          .contains(
              "loaded as " + Integer.toUnsignedString(nobody.uid()), library + "\n", "A is = b")
          .doesNotContain("loaded as 0");
    }
  }

  @Test
  void launch_asAnotherUser_entersNoFolderThatTheUserCannot() throws Exception {
    switchable();
    Path closed = Files.createDirectory(data.resolve("closed"));
    Path open = Files.createDirectory(closed.resolve("open"));
    Files.writeString(open.resolve("file"), "theirs");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    try (RunnerFixture fixture = new RunnerFixture(data, false, RunAs.user(OTHER, KEY))) {
      fixture.launch(RunnerFixture.of("a", "cat", "file").workdir(open.toString()).build());
      RunEnd end = fixture.next(Input.Exited.class).end();

      assertThat(fixture.output()).doesNotContain("theirs");
      assertThat(end.category()).contains(FailureCategory.LAUNCH);
      assertThat(end.note().orElseThrow())
          .contains("as nobody, who cannot enter its work folder " + open);
      fixture.launch(RunnerFixture.of("b", "sh", "-c", "pwd; ls -d /").workdir("/usr").build());
      assertThat(fixture.next(Input.Exited.class).end().exitCode()).hasValue(0);
      assertThat(fixture.output()).contains("/usr\n/\n");
    }
  }

  private String rights(RunAs runAs) throws Exception {
    try (RunnerFixture fixture = new RunnerFixture(data, false, runAs)) {
      fixture.sh("a", "sed -n '/^NoNew\\|^Cap/s/:[[:space:]0]*\\(.\\)/: \\1/p' /proc/self/status");
      fixture.next(Input.Exited.class);
      return fixture.output();
    }
  }

  @Test
  void launch_asTheAgent_keepsOtherUsersFromItsRuns() throws Exception {
    try (RunnerFixture fixture = new RunnerFixture(data)) {
      fixture.sh("a", "umask; touch made; stat -c %a made");
      fixture.next(Input.Exited.class);

      assertThat(fixture.output()).startsWith(umask()).contains("6");
      for (String folder : List.of("", "runs", "runs/a-1", "runs/a-1/work", "ended", "keepers")) {
        assertThat(mode(data.resolve(folder))).as(folder).isEqualTo("rwx------");
      }
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  /** This process's own, which jobs keep: what they make is as wide as their user wants it. */
  private static String umask() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("Umask:"))
        .map(line -> line.split("\\s+")[1])
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aJobOfTheOtherUserIsEndedWithAllItsProcesses() throws Exception {
    switchable();
    try (RunnerFixture fixture = new RunnerFixture(data, false, RunAs.user(OTHER, KEY))) {
      AttemptKey key = fixture.sh("a", "setsid sleep 600 & trap '' TERM; sleep 600");
      fixture.next(Input.Started.class);

      fixture.runner.kill(key, 100);

      assertThat(fixture.next(Input.Exited.class).end().exitCode()).isPresent();
    }
  }

  @Test
  void aProgramThatTheKernelWillNotRunIsALaunchFailure() throws Exception {
    RunEnd end = endOf("#!/no/such/interpreter\n", "rwxr-xr-x");

    assertThat(end.category()).contains(FailureCategory.LAUNCH);
    assertThat(end.note().orElseThrow()).contains("No such file or directory");
  }

  @Test
  void aScriptThatTheOtherUserMayNotReadDoesNothing() throws Exception {
    RunEnd end = endOf("#!/bin/sh\nexit 0\n", "rwx------");

    assertThat(end.exitCode().orElse(0)).isNotZero();
    assertThat(end.note().orElseThrow()).contains("Permission denied");
  }

  private RunEnd endOf(String script, String mode) throws Exception {
    switchable();
    Path program = Files.writeString(data.resolve("program"), script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString(mode));
    try (RunnerFixture fixture = new RunnerFixture(data, false, RunAs.user(OTHER, KEY))) {
      fixture.launch(fixture.place("a", program.toString()));
      return fixture.next(Input.Exited.class).end();
    }
  }

  @Test
  void foldersThatTheUserMayNotPassAreNamed() throws Exception {
    switchable();
    Path closed = Files.createDirectory(data.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));

    assertThat(RunAs.user(OTHER, KEY).closedAbove(closed.resolve("stoker")))
        .containsExactly(closed);
    assertThat(RunAs.SELF.closedAbove(closed)).isEmpty();
  }

  /** Only root can become somebody else; JUnit's folder is for its owner alone. */
  private Account switchable() throws IOException {
    int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    assumeTrue(uid == 0, "only root can start jobs as another user");
    Optional<Account> nobody = Account.find(OTHER);
    assumeTrue(nobody.isPresent(), "this machine has no user " + OTHER);
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    return nobody.get();
  }
}
