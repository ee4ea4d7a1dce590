package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs are kept from networks, folders and too much of anything, by the kernel. */
class IsolationTest {
  private static final String OTHER = "nobody";
  private static final Claim OFFLINE =
      new Claim(Optional.empty(), Optional.empty(), Optional.empty(), Map.of(), true);

  /** Not in {@code /tmp}, which jobs are not to see. */
  private Path data;

  @BeforeEach
  void makeFolder() throws IOException {
    data = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "kept");
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void removeFolder() {
    RunFolders.delete(data.toFile());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void launch_withoutANetwork_reachesNothingButItself(boolean root) throws Exception {
    try (ServerSocket open = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RunnerFixture fixture = kept(RunAs.SELF, IsolationRules.NONE, root)) {
      String reach =
          "(exec 3<>/dev/tcp/127.0.0.1/%d) 2>/dev/null && echo reached || echo alone;"
                  .formatted(open.getLocalPort())
              + " sed 1,2d /proc/net/dev | wc -l; grep CapEff /proc/self/status";
      fixture.launch(RunnerFixture.of("a", "bash", "-c", reach).claim(OFFLINE).build());
      assertThat(fixture.next(Input.Exited.class).end().exitCode()).hasValue(0);
      assertThat(fixture.output()).startsWith("alone\n1\n");
      assertThat(fixture.output().contains("CapEff:\t0000000000000000")).isEqualTo(!root);
      fixture.launch(RunnerFixture.of("b", "bash", "-c", reach).build());
      fixture.next(Input.Exited.class);
      assertThat(fixture.output()).as("of one that did not ask").contains("reached");
    }
  }

  @Test
  void launch_onAHostWithoutNetwork_givesItToNobody() throws Exception {
    IsolationRules rules = new IsolationRules(true, false, List.of(), IsolationRules.Limits.NONE);
    try (RunnerFixture fixture = kept(RunAs.SELF, rules, true)) {
      fixture.sh("a", "sed 1,2d /proc/net/dev | wc -l");
      fixture.next(Input.Exited.class);
      assertThat(fixture.output()).isEqualTo("1\n");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void launch_withATmpOfItsOwn_leavesNothingInTheHosts(boolean root) throws Exception {
    IsolationRules rules = new IsolationRules(false, true, List.of(), IsolationRules.Limits.NONE);
    String name = "stoker-kept-" + ProcessHandle.current().pid();
    try (RunnerFixture fixture = kept(RunAs.SELF, rules, root)) {
      fixture.sh("a", "ls -A /tmp | wc -l; echo x >/tmp/%1$s; cat /var/tmp/%1$s".formatted(name));
      assertThat(fixture.next(Input.Exited.class).end().exitCode()).hasValue(0);
      assertThat(fixture.output()).isEqualTo("0\nx\n");
      assertThat(Path.of("/tmp", name)).doesNotExist();
      assertThat(data.resolve("runs/a-1/tmp").resolve(name)).exists();
      fixture.sh("b", "ls -A /tmp | wc -l");
      fixture.next(Input.Exited.class);
      assertThat(fixture.output()).isEqualTo("0\nx\n0\n");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void launch_withReadOnlyPaths_writesNothingThere(boolean root) throws Exception {
    Path models = Files.createDirectory(data.resolve("mo'dels $(id)"));
    IsolationRules rules =
        new IsolationRules(false, false, List.of(models), IsolationRules.Limits.NONE);
    try (RunnerFixture fixture = kept(RunAs.SELF, rules, root)) {
      fixture.launch(
          fixture.place("a", Map.of("IN", models.toString()), "sh", "-c", "touch \"$IN/x\""));
      RunEnd end = fixture.next(Input.Exited.class).end();
      assertThat(end.exitCode()).hasValue(1);
      assertThat(end.category()).as("it began").isEmpty();
      assertThat(fixture.output()).contains("Read-only file system");
    }
  }

  @Test
  void launch_withLimits_hasThem() throws Exception {
    IsolationRules.Limits limits =
        new IsolationRules.Limits(
            OptionalLong.of(777), OptionalLong.of(77), OptionalLong.of(4096), OptionalLong.of(0));
    try (RunnerFixture fixture =
        kept(RunAs.SELF, new IsolationRules(false, false, List.of(), limits), true)) {
      fixture.sh("a", "grep -E 'Max (proc|open|file size|core)' /proc/self/limits | tr -s ' '");
      fixture.next(Input.Exited.class);
      assertThat(fixture.output())
          .contains(
              "Max file size 4096 4096 bytes",
              "Max core file size 0 0 bytes",
              "Max processes 777 777 processes",
              "Max open files 77 77 files");
      fixture.sh("b", "head -c 5000 /dev/zero >big");
      assertThat(fixture.next(Input.Exited.class).end().exitCode().orElse(0)).isNotZero();
      assertThat(data.resolve("runs/b-1/work/big")).hasSize(4096);
      assertThat(fixture.confinement.words())
          .isEqualTo(
              "as the agent, no new privileges; all with 777 processes at most, 77 open files,"
                  + " files of 4096 bytes, core dumps of 0 bytes");
    }
  }

  @Test
  void launch_asAnotherUser_inAllOfIt_isThatUserWithoutCapabilities() throws Exception {
    RunAs nobody = other();
    IsolationRules rules =
        new IsolationRules(
            true,
            true,
            List.of(Path.of("/usr")),
            new IsolationRules.Limits(
                OptionalLong.of(500),
                OptionalLong.of(99),
                OptionalLong.empty(),
                OptionalLong.of(0)));
    try (RunnerFixture fixture = kept(nobody, rules, true)) {
      fixture.sh(
          "a",
          "id -un; sed 1,2d /proc/net/dev | wc -l; echo in >/tmp/x && stat -c %U /tmp/x; ulimit -n;"
              + " grep -E 'Cap(Eff|Bnd)|NoNew' /proc/self/status; umount /tmp 2>/dev/null || echo kept; exit 5");
      RunEnd end = fixture.next(Input.Exited.class).end();
      assertThat(end.exitCode()).as("its own").hasValue(5);
      assertThat(fixture.output())
          .contains(
              "nobody\n1\nnobody\n99\n",
              "CapEff:\t0000000000000000",
              "CapBnd:\t0000000000000000",
              "NoNewPrivs:\t1",
              "kept");
    }
  }

  @Test
  void launch_withoutANetwork_whereThatCannotBe_neverBegins() throws Exception {
    try (RunnerFixture fixture = new RunnerFixture(data)) {
      fixture.launch(RunnerFixture.of("a", "touch", data + "/ran").claim(OFFLINE).build());
      Input.NotStarted told = fixture.next(Input.NotStarted.class);
      assertThat(told.cause()).isEqualTo(Input.Cause.LAUNCH);
      assertThat(told.reason()).contains("network none", "stoker.agent.isolation.network");
      assertThat(data.resolve("ran")).doesNotExist();
    }
  }

  @Test
  void launch_ofAPathThatIsGoneMeanwhile_neverBegins() throws Exception {
    Path models = Files.createDirectory(data.resolve("models"));
    IsolationRules rules =
        new IsolationRules(false, false, List.of(models), IsolationRules.Limits.NONE);
    try (RunnerFixture fixture = kept(RunAs.SELF, rules, true)) {
      Files.delete(models);
      fixture.sh("a", "touch %s/ran".formatted(data));
      RunEnd end = fixture.next(Input.Exited.class).end();
      assertThat(end.category()).contains(FailureCategory.LAUNCH);
      assertThat(end.note().orElseThrow()).contains("cannot be made read-only: " + models);
      assertThat(data.resolve("ran")).doesNotExist();
    }
  }

  @Test
  void outlook_whereItCanBeHad_saysSo() throws Exception {
    kept(RunAs.SELF, IsolationRules.NONE, true).close();
    assertThat(Isolation.outlook()).startsWith("jobs can be kept from the network");
  }

  @Test
  void of_whatCannotBe_isRefusedByItsKey() throws Exception {
    IsolationRules missing =
        new IsolationRules(
            false, false, List.of(Path.of("/no/such/folder")), IsolationRules.Limits.NONE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Isolation.of(missing, data))
        .withMessageContaining("stoker.agent.isolation.*")
        .withMessageContaining("/no/such/folder");
    IsolationRules tmp = new IsolationRules(false, true, List.of(), IsolationRules.Limits.NONE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Isolation.of(tmp, Path.of("/tmp/stoker")))
        .withMessageContaining("stoker.agent.isolation.private-tmp is true")
        .withMessageContaining("/tmp/stoker");
    assertThat(data).as("nothing is left of trials").isEmptyDirectory();
  }

  private RunAs other() throws IOException {
    int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    assumeTrue(uid == 0, "only root can start jobs as another user");
    assumeTrue(Account.find(OTHER).isPresent(), "this machine has no user " + OTHER);
    RunAs nobody = RunAs.user(OTHER, "stoker.agent.run-as");
    assumeTrue(nobody.closedAbove(data).isEmpty(), OTHER + " cannot pass to " + data);
    return nobody;
  }

  /**
   * @param root whether it is made as by root, or else in a namespace of users
   */
  private RunnerFixture kept(RunAs runAs, IsolationRules rules, boolean root) throws IOException {
    int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    assumeTrue(uid == 0 || !root, "only root can have namespaces without one of users");
    Isolation isolation;
    try {
      isolation = Isolation.of(rules, data, root);
    } catch (IllegalArgumentException e) {
      assumeTrue(false, e.getMessage());
      throw e;
    }
    assumeTrue(isolation.canBeOffline(), "this machine gives no namespaces");
    RunnerFixture fixture = RunnerFixture.unstarted(data, runAs);
    fixture.confinement = new Confinement(new RunUsers(runAs, Map.of(), Map.of()), isolation);
    fixture.startRunner();
    return fixture;
  }
}
