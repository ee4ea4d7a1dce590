package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.aws.AwsNodes;
import io.stoker.agent.aws.AwsSettings;
import io.stoker.agent.aws.Ec2Server;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.ssh.FollowRules;
import io.stoker.agent.ssh.JobCare;
import io.stoker.agent.ssh.LinkSettings;
import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import io.stoker.agent.ssh.RemoteRunner;
import io.stoker.agent.ssh.RemoteSettings;
import io.stoker.agent.ssh.TestSshd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of type aws: EC2's protocol is spoken by a server here, and the instance is one of SSH. */
@Timeout(300)
class RunsOnInstancesTest {
  private static final String ID = "i-0a1b2c3d";

  @TempDir Path data;
  @TempDir Path folder;
  private TestSshd sshd;
  private Ec2Server ec2;
  private RunnerFixture host;

  @BeforeEach
  void start() throws Exception {
    System.setProperty("aws.accessKeyId", "test");
    System.setProperty("aws.secretAccessKey", "test");
    sshd = new TestSshd(folder);
    ec2 = new Ec2Server();
    ec2.put(ID, "stopped");
    host = RunnerFixture.unstarted(data);
    open(ID);
  }

  private void open(String... instances) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (String id : instances) {
      lines.append("%s@%s:%d %s\n".formatted(TestSshd.USER, id, sshd.port(), sshd.key));
    }
    open(Files.writeString(folder.resolve("instances"), lines));
  }

  private void open(Path mapping) throws Exception {
    AwsSettings instances =
        new AwsSettings(
            mapping,
            2,
            Duration.ofMillis(50),
            true,
            Optional.of("eu-central-1"),
            Optional.of(ec2.endpoint()),
            Duration.ofSeconds(60));
    RemoteSettings settings =
        new RemoteSettings(
            new LinkSettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                folder.resolve("known"),
                UnknownHosts.ACCEPT_NEW,
                Optional.empty()),
            new FollowRules(
                2,
                Duration.ofMillis(50),
                Duration.ofMillis(100),
                Optional.empty(),
                Duration.ofMillis(100)),
            1,
            ".stoker",
            Map.of(),
            JobCare.plain(Duration.ofMillis(300)),
            OptionalLong.of(1));
    host.startRunners(
        List.of(
            context ->
                new RemoteRunner(
                    "aws", context, settings, AwsNodes.open(instances, context.data()))));
  }

  @AfterEach
  void stop() throws Exception {
    host.close();
    ec2.close();
    sshd.close();
    System.clearProperty("aws.accessKeyId");
    System.clearProperty("aws.secretAccessKey");
  }

  private AttemptKey start(String script) {
    AttemptKey key = new AttemptKey("a", 1);
    host.runners.start(
        RunnerFixture.of("a", "sh", "-c", script).on("aws").build(),
        new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0),
        1);
    return key;
  }

  @Test
  void anInstanceIsStartedForAJobAndStoppedAfter() throws Exception {
    AttemptKey key = start("echo far; exit 3");

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(3);
    assertThat(host.output()).isEqualTo("far\n");
    assertThat(ec2.asked).containsExactly("StartInstances " + ID);
    assertThat(folder.resolve("known")).content().startsWith("[" + ID + "]:" + sshd.port());

    host.runners.remove(key);

    await().until(() -> ec2.state(ID).equals("stopped"));
    assertThat(sshd.home.resolve(".stoker/runs").toFile().list()).isEmpty();
  }

  @Test
  void anInstanceIsStoppedAlthoughTheRecordOfItsRunCannotBeDeleted() throws Exception {
    AttemptKey key = start("exit 0");
    host.next(Exited.class);
    Path record = data.resolve("aws").resolve(key + ".json");
    int logins = sshd.logins.get();
    sshd.stop();
    host.runners.remove(key); // which is tried until the instance can be reached
    Files.delete(record);
    Files.createDirectories(record.resolve("in the way"));
    sshd.start();

    await().until(() -> ec2.state(ID).equals("stopped"));
    assertThat(sshd.logins).hasValueGreaterThan(logins);
  }

  @Test
  void oneThatIsStartedAgainElsewhereNeedsItsFirstInstanceNoMore() throws Exception {
    String other = "i-0000000f";
    ec2.put(other, "stopped");
    host.runners.close();
    open(ID, other);
    host.deadline.write(host.clock.bootMs() - 1);
    while (!ec2.asked.containsAll(List.of("StartInstances " + ID, "StartInstances " + other))) {
      start("true");
      assertThat(host.next(NotStarted.class).cause()).isEqualTo(Input.Cause.REFUSED);
    }
    host.deadline.write(host.clock.bootMs() + 60_000);
    AttemptKey key = start("exit 0");
    host.next(Exited.class);

    host.runners.remove(key);

    await().until(() -> ec2.state(ID).equals("stopped"));
    await().until(() -> ec2.state(other).equals("stopped"));
  }

  @Test
  void withoutPermissionTheLaunchFails() throws Exception {
    ec2.fail("StartInstances", "UnauthorizedOperation");

    start("true");

    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Input.Cause.LAUNCH);
    assertThat(told.reason()).contains("StartInstances of instance " + ID, "UnauthorizedOperation");
  }

  @Test
  void withoutCapacityTheLaunchFailsAfterItsTries() throws Exception {
    ec2.fail("StartInstances", "InsufficientInstanceCapacity");
    ec2.fail("StartInstances", "InsufficientInstanceCapacity");

    start("true");

    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Input.Cause.LAUNCH);
    assertThat(told.reason()).contains("InsufficientInstanceCapacity", "2 tries");
  }

  @Test
  void anInstanceThatIsStoppedUnderAJobLosesIt() throws Exception {
    start("sleep 720");
    host.next(Input.Started.class);
    ec2.put(ID, "stopped");
    sshd.stop();

    Exited end = host.next(Exited.class);
    assertThat(end.end().exitCode()).isEmpty();
    assertThat(end.end().note().orElseThrow()).contains("instance " + ID + " was stopped");
    killTheRest();
  }

  /** A real instance takes its processes with it; here the job's wrapper writes its last file. */
  private void killTheRest() throws Exception {
    Path runs = sshd.home.resolve(".stoker/runs").resolve(RunnerFixture.OWNER);
    Path run = runs.resolve(runs.toFile().list()[0]);
    long job = Long.parseLong(Files.readString(run.resolve("pid")).split(" ")[0]);
    ProcessHandle.of(job).ifPresent(ProcessHandle::destroyForcibly);
    await().until(() -> Files.exists(run.resolve("exit")));
  }

  @Test
  void killedWhileItsInstanceStartsItNeverBegins() throws Exception {
    AttemptKey key;
    try (Ec2Server.Hold answer = ec2.holdStarts()) {
      key = start("true");
      await().until(() -> !ec2.asked.isEmpty());
      host.runners.kill(key, 0); // before it is known that the instance starts, or how long for
    }

    assertThat(host.next(NotStarted.class).cause()).isEqualTo(Input.Cause.UNCLAIMED);
    ec2.put(ID, "running"); // before the removal, which stops it
    host.runners.remove(key);
    await().until(() -> ec2.state(ID).equals("stopped"));
  }
}
